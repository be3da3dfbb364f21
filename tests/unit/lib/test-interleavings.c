/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the whole contract between producer and reader: the hypervisor's own record handler runs
 * while its log control register changes, and the reader (read-log.h) runs beside it, in every
 * possible order.
 *
 * The producer does not depend on its readers.  So it runs once, and the test takes a picture of
 * the shared memory between any two of its stores.  A reader is a walk through these pictures:
 * before each load it may advance to a later picture.  If a load has the same value in several
 * pictures, the walk uses the first, from which it can reach all the others.  A walk is a list of
 * such choices, and the test enumerates all lists.  After a call, the reader has one of a few
 * states and positions; the next call starts from each of these.
 *
 * First, loads happen in program order, and stores become visible in their order, as on x86.  Then
 * both happen as weakly as on an architecture that has only the fences of barrier.h and smp_wmb()
 * (weak).  Stores between two smp_wmb() also become visible in reverse order, so that each store
 * precedes each other store.  A load without acquire happens at any time between the latest acquire
 * or fence before it and the next fence.  In a copy, one word is newer than the others, because the
 * reader judges each word alone.
 */
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

/* The producer: the test takes a picture wherever the producer's source reads one of these. */
static unsigned long long now_tsc;
static unsigned long long picture_tsc(void);
#define schedlog_tsc() picture_tsc()

#include "schedlog-env.h"

static void take_picture(void);
static void end_epoch(void);
#undef ACCESS_ONCE
#undef likely
#undef unlikely
#undef smp_wmb
#define ACCESS_ONCE(x) \
    (*(take_picture(), (volatile typeof(x) *)&(x)))
#define likely(x) (take_picture(), (x))
#define unlikely(x) (take_picture(), (x))
#define smp_wmb() end_epoch()

#include "schedlog-record.h"
#include "common/schedlog/record.c"

/* The reader: each of its loads is a choice. */
#define XENSCHED_BARRIER_H
enum order { RELAXED, ACQUIRE };

static uint64_t load_some(const void *word, size_t size, enum order order);
static void shared_read_fence(void);
static void shared_copy(void *to, const void *from, size_t bytes);

static inline uint64_t shared_load64(const uint64_t *word)
{
    return load_some(word, sizeof(*word), RELAXED);
}

static inline uint32_t shared_load32(const uint32_t *word)
{
    return load_some(word, sizeof(*word), RELAXED);
}

static inline uint64_t shared_load_acquire64(const uint64_t *word)
{
    return load_some(word, sizeof(*word), ACQUIRE);
}

static inline uint32_t shared_load_acquire32(const uint32_t *word)
{
    return load_some(word, sizeof(*word), ACQUIRE);
}

/* A state that stays is tried once more, not a hundred times. */
#define LOG_STATE_TRIES 2
#include <xensched/read-log.h>

#define MAX_FILE 128
#define MAX_PICTURES 400
#define MAX_ROWS 40
#define MAX_CHOICES 400
#define MAX_BRANCHES 4000
#define EVENT XEN_SCHEDLOG_EV_EVTCHN_SEND

#define IDS (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT)
#define COUNTER XEN_SCHEDLOG_LCR_COUNTER

/* Rows of 4, 16, 32 and 64 bytes, and no rows. */
static const uint32_t registers[] = {
    COUNTER,
    IDS | COUNTER,
    IDS | COUNTER | XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC |
        XEN_SCHEDLOG_LCR_TIME64,
    IDS | COUNTER | 6U << XEN_SCHEDLOG_LCR_PAD_SHIFT,
    0,
};

#define NR_REGISTERS (sizeof(registers) / sizeof(registers[0]))

struct shared {
    struct xen_schedlog_state state;
    _Alignas(8) uint8_t data[MAX_FILE];
};

/* What the producer did. */
static struct shared shared, pictures[MAX_PICTURES];
static unsigned int nr_pictures;
static unsigned int epoch[MAX_PICTURES], nr_epochs; /* the picture at each epoch's end */
static struct {
    uint64_t pos;
    uint32_t size;
    uint8_t bytes[XEN_SCHEDLOG_MAX_ROW_SIZE];
} rows[MAX_ROWS];
static unsigned int nr_rows;
static uint32_t file_size;

static void take_picture(void)
{
    if (nr_pictures &&
        !memcmp(&pictures[nr_pictures - 1], &shared, sizeof(shared)))
        return;
    assert_true(nr_pictures < MAX_PICTURES);
    pictures[nr_pictures++] = shared;
}

static void end_epoch(void)
{
    take_picture();
    epoch[nr_epochs++] = nr_pictures - 1;
    assert_true(nr_epochs < MAX_PICTURES);
}

static unsigned long long picture_tsc(void)
{
    take_picture();

    return now_tsc += 1000001;
}

static struct {
    struct schedlog_cpu cpu;
    struct schedlog_file file[1];
} pcpu;
static uint32_t lcr, skipped[2 * XEN_SCHEDLOG_NR_EVENTS];
static uint64_t route[2 * XEN_SCHEDLOG_NR_EVENTS];

static void begin_log(uint32_t size)
{
    memset(&shared, 0, sizeof(shared));
    memset(&pcpu, 0, sizeof(pcpu));
    nr_pictures = nr_rows = nr_epochs = 0;
    file_size = size;
    pcpu.cpu.lcr = &lcr;
    pcpu.cpu.route = route;
    pcpu.cpu.skipped = skipped;
    pcpu.cpu.acct_mask = 1;
    schedlog_init_file(&pcpu.cpu.file[0], shared.data, size, &shared.state);
    route[EVENT] = XEN_SCHEDLOG_ROUTE_VALID;
}

/* Logs an event with this register, and notes the row that must follow. */
static void happen(uint32_t new_lcr)
{
    static uint32_t serial = 1;
    struct schedlog_file *file = &pcpu.cpu.file[0];

    lcr = new_lcr;
    schedlog_record(&pcpu.cpu, EVENT, 0, 0xffff, serial * 0x01010101);
    serial = serial % 250 + 1;
    take_picture();
    if (!file->row_size)
        return;
    assert_true(nr_rows < MAX_ROWS);
    rows[nr_rows].size = file->row_size;
    rows[nr_rows].pos = file->pos - file->row_size;
    memcpy(rows[nr_rows].bytes,
           shared.data + (rows[nr_rows].pos & (file_size - 1)),
           file->row_size);
    nr_rows++;
}

/* The current walk. */
static bool weak;
static unsigned int at;     /* picture; weak loads do not see an older one */
static unsigned int latest; /* picture that a load has seen */
static unsigned int nr_choices, choice[MAX_CHOICES], choices[MAX_CHOICES];
static bool is_quiet; /* the producer does nothing more */

static uint64_t value_in(unsigned int picture, size_t offset, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const uint8_t *)&pictures[picture] + offset, size);

    return value;
}

#define WORD sizeof(uint32_t)

/* [word][picture]: the next picture in which the word differs. */
static uint16_t next_change[sizeof(struct shared) / WORD][MAX_PICTURES];

static void find_changes(void)
{
    size_t word;
    unsigned int i;

    for (word = 0; word < sizeof(struct shared) / WORD; word++) {
        i = nr_pictures - 1;
        next_change[word][i] = nr_pictures;
        while (i--)
            next_change[word][i] =
                value_in(i, word * WORD, WORD) ==
                value_in(i + 1, word * WORD, WORD)
                ? next_change[word][i + 1] : i + 1;
    }
}

static unsigned int next_picture(unsigned int picture, size_t offset,
                                 size_t size)
{
    unsigned int next = next_change[offset / WORD][picture];

    if (size > WORD && next_change[offset / WORD + 1][picture] < next)
        next = next_change[offset / WORD + 1][picture];

    return next;
}

#define WORDS (sizeof(struct shared) / WORD)

/* Reverses the stores from picture @begin to picture @end. */
static void reverse(unsigned int begin, unsigned int end)
{
    static struct shared made[MAX_PICTURES];
    uint32_t *now, *const last = (uint32_t *)&made[end];
    unsigned int i;
    size_t word;

    memcpy(made, pictures, nr_pictures * sizeof(made[0]));
    for (i = begin + 1; i < end; i++) {
        const unsigned int store = begin + end - i;

        pictures[i] = pictures[i - 1];
        now = (uint32_t *)&pictures[i];
        for (word = 0; word < WORDS; word++)
            if (((uint32_t *)&made[store])[word] != ((uint32_t *)&made[store + 1])[word])
                now[word] = last[word];
    }
}

/* Reverses each epoch after picture @begin. */
static void reverse_epochs(unsigned int begin)
{
    unsigned int i;

    for (i = 0; i < nr_epochs; i++) {
        if (epoch[i] > begin)
            reverse(begin, epoch[i]);
        begin = epoch[i] > begin ? epoch[i] : begin;
    }
    reverse(begin, nr_pictures - 1);
}

/* Finds the pictures from here on in which the word has a new value. */
static unsigned int find_values(size_t offset, size_t size,
                                unsigned int found[])
{
    unsigned int nr = 0, i, k;

    for (i = at; i < nr_pictures; i = next_picture(i, offset, size)) {
        for (k = 0; k < nr; k++)
            if (value_in(found[k], offset, size) == value_in(i, offset, size))
                break;
        if (k == nr)
            found[nr++] = i;
    }

    return nr;
}

static unsigned int choose(unsigned int nr)
{
    if (nr < 2)
        return 0;
    assert_true(nr_choices < MAX_CHOICES);
    choices[nr_choices] = nr;

    return choice[nr_choices++];
}

static size_t offset_of(const void *word)
{
    return (const uint8_t *)word - (const uint8_t *)&shared;
}

static uint64_t load_some(const void *word, size_t size, enum order order)
{
    size_t offset = offset_of(word);
    unsigned int found[MAX_PICTURES], nr, seen = at;

    assert_true(offset + size <= sizeof(shared));
    if (!is_quiet) {
        nr = find_values(offset, size, found);
        seen = found[choose(nr)];
    }
    if (!weak || order == ACQUIRE)
        at = seen;
    latest = seen > latest ? seen : latest;

    return value_in(seen, offset, size);
}

static void shared_read_fence(void)
{
    at = latest > at ? latest : at;
}

/* Returns the word of a copy that is newer than the others, or NULL. */
static const uint8_t *choose_newer(const uint8_t *from, size_t bytes)
{
    const uint8_t *newer[MAX_FILE / WORD + 1] = { NULL };
    unsigned int nr = 1;
    size_t i;

    for (i = 0; !is_quiet && i < bytes; i += WORD)
        if (next_change[offset_of(from + i) / WORD][at] < nr_pictures)
            newer[nr++] = from + i;

    return newer[choose(nr)];
}

static void shared_copy(void *to, const void *from, size_t bytes)
{
    const uint8_t *word = from, *newer = weak ? choose_newer(from, bytes) : NULL;
    uint32_t value;
    size_t i;

    for (i = 0; i < bytes; i += WORD, word += WORD) {
        if (weak && word != newer)
            value = value_in(at, offset_of(word), WORD);
        else
            value = load_some(word, WORD, RELAXED);
        memcpy((uint8_t *)to + i, &value, WORD);
    }
    shared_read_fence();
}

/* Advances to the next list of choices.  Returns false after the last one. */
static bool choose_next(unsigned int length)
{
    while (length && choice[length - 1] + 1 == choices[length - 1])
        length--;
    if (!length)
        return false;
    choice[length - 1]++;
    memset(choice + length, 0, (MAX_CHOICES - length) * sizeof(choice[0]));

    return true;
}

/* The state of a reader, and its position. */
struct branch {
    struct xensched_reader reader;
    unsigned int at;
    uint64_t seen; /* no row before this position may follow */
    unsigned int delivered;
};

static uint64_t nr_walks;

static void check_rows(struct branch *b, const struct xensched_batch *batch)
{
    size_t i, nr = xensched_batch_rows(batch);
    unsigned int k = 0;

    for (i = 0; i < nr; i++) {
        uint64_t pos = batch->pos + i * batch->layout.size;

        while (k < nr_rows && rows[k].pos != pos)
            k++;
        assert_true(k < nr_rows);
        assert_true(pos >= b->seen);
        assert_int_equal(batch->layout.size, rows[k].size);
        assert_memory_equal((const uint8_t *)batch->rows +
                            i * batch->layout.size, rows[k].bytes,
                            rows[k].size);
        b->seen = pos + rows[k].size;
        b->delivered++;
    }
}

static int call_reader(struct branch *b)
{
    uint8_t buffer[MAX_FILE + XEN_SCHEDLOG_MAX_ROW_SIZE];
    struct xensched_batch batch;
    int rc;

    memset(buffer, 0xee, sizeof(buffer));
    at = latest = b->at;
    rc = xensched_reader_read(&b->reader, buffer, sizeof(buffer), &batch);
    b->at = at;
    nr_walks++;
    /* The producer makes no invalid rows. */
    assert_true(rc >= 0 || rc == -EAGAIN);
    check_rows(b, &batch);

    return rc;
}

/* Checks, after the producer's end, that all missing rows were counted as lost. */
static void check_end(struct branch b)
{
    int rc;

    is_quiet = true;
    b.at = nr_pictures - 1;
    do {
        rc = call_reader(&b);
        assert_true(rc >= 0);
    } while (rc);
    is_quiet = false;
    assert_int_equal(b.reader.pos, pcpu.cpu.file[0].pos);
    if (b.reader.stats.unknown_bytes)
        assert_true(b.delivered + b.reader.stats.lost_rows <= nr_rows);
    else
        assert_int_equal(b.delivered + b.reader.stats.lost_rows, nr_rows);
}

static unsigned int add_branch(struct branch branches[], unsigned int nr,
                               const struct branch *b)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        if (!memcmp(&branches[i], b, sizeof(*b)))
            return nr;
    assert_true(nr < MAX_BRANCHES);
    branches[nr] = *b;

    return nr + 1;
}

/* Makes one call from each branch, in each order. */
static unsigned int walk(const struct branch from[], unsigned int nr_from,
                         struct branch to[])
{
    unsigned int i, nr = 0;

    for (i = 0; i < nr_from; i++) {
        memset(choice, 0, sizeof(choice));
        do {
            struct branch b = from[i];

            nr_choices = 0;
            call_reader(&b);
            nr = add_branch(to, nr, &b);
        } while (choose_next(nr_choices));
    }

    return nr;
}

/* Makes calls while the producer does nothing. */
static void call_in_quiet(struct branch *b)
{
    take_picture();
    find_changes();
    b->at = nr_pictures - 1;
    is_quiet = true;
    call_reader(b);
    is_quiet = false;
}

/*
 * A log with rows.  The reader has read those that are left, or is behind and has read none.  Then
 * @nr events follow, with other registers.
 */
struct program {
    uint32_t size;
    unsigned int before, nr;
    uint32_t first, lcrs[4];
    bool behind;
};

static void run_program(const struct program *p, unsigned int calls)
{
    static struct branch branches[2][MAX_BRANCHES];
    unsigned int i, nr_branches = 1, now = 0;
    struct branch *b = &branches[0][0];

    begin_log(p->size);
    memset(b, 0, sizeof(*b));
    xensched_reader_init(&b->reader, &shared.state, shared.data, p->size,
                         XENSCHED_BEGIN_OLDEST);
    call_in_quiet(b);
    for (i = 0; i < p->before; i++)
        happen(p->first);
    if (!p->behind)
        call_in_quiet(b);
    b->at = nr_pictures - 1;

    for (i = 0; i < p->nr; i++)
        happen(p->lcrs[i]);
    if (weak)
        reverse_epochs(b->at);
    find_changes();
    for (i = 0; i < calls; i++, now = !now)
        nr_branches = walk(branches[now], nr_branches, branches[!now]);
    for (i = 0; i < nr_branches; i++)
        check_end(branches[now][i]);
}

/* Returns the number of rows that fill the log, and one more, which overwrites the first. */
static unsigned int enough(uint32_t size, unsigned int r)
{
    static const unsigned int row_sizes[] = { 4, 16, 32, 64, 0 };

    return row_sizes[r] ? size / row_sizes[r] + 1 : 1;
}

/* Tries all registers before the call, and for @nr events during the calls. */
static void run_all(uint32_t size, unsigned int nr, unsigned int calls)
{
    unsigned int all = NR_REGISTERS * 2, i, k, rest;

    for (k = 0; k < nr; k++)
        all *= NR_REGISTERS;
    for (i = 0; i < all; i++) {
        struct program p = {
            .size = size, .nr = nr, .behind = i & 1,
            .before = enough(size, i / 2 % NR_REGISTERS),
            .first = registers[i / 2 % NR_REGISTERS],
        };

        rest = i / 2 / NR_REGISTERS;
        for (k = 0; k < nr; k++, rest /= NR_REGISTERS)
            p.lcrs[k] = registers[rest % NR_REGISTERS];
        run_program(&p, calls);
    }
    print_message("# %llu walks\n", (unsigned long long)nr_walks);
    nr_walks = 0;
}

static void one_call_while_the_register_changes(void **state)
{
    (void)state;
    run_all(64, 3, 1);
}

/* A row that is being written may begin after a gap, and be longer. */
static void one_call_with_a_larger_log_file(void **state)
{
    (void)state;
    run_all(128, 1, 1);
}

static void two_calls_while_the_register_changes(void **state)
{
    (void)state;
    run_all(64, 2, 2);
}

static void rows_of_one_register(void **state)
{
    unsigned int r;

    (void)state;
    for (r = 0; r < NR_REGISTERS; r++) {
        struct program p = { .size = 64, .nr = 4, .first = registers[r] };

        p.lcrs[0] = p.lcrs[1] = p.lcrs[2] = p.lcrs[3] = registers[r];
        run_program(&p, 2);
        p.before = enough(64, r);
        run_program(&p, 2);
    }
}

static void orders_are_weak(void **state)
{
    (void)state;
    weak = true;
    rows_of_one_register(state);
    run_all(64, 2, 1);
    weak = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_register),
        cmocka_unit_test(one_call_with_a_larger_log_file),
        cmocka_unit_test(one_call_while_the_register_changes),
        cmocka_unit_test(two_calls_while_the_register_changes),
        cmocka_unit_test(orders_are_weak),
    };

    return run_tap_tests(tests);
}
