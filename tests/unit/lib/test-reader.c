/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader: rows come out once, in order, unharmed, and what doesn't come
 * out is counted to the row.
 *
 * Each row carries a serial number as its counter, so a row that is missing,
 * doubled or half overwritten shows.  The reader is compiled here with its
 * copy slowed down: between the bytes it copies, the producer runs on.
 * Without that, the few nanoseconds in which a row can be torn would be hit
 * once in a thousand runs.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"

static void *slow_memcpy(void *to, const void *from, size_t bytes);

#define memcpy slow_memcpy
#include <xensched/read-log.h>
#undef memcpy

#define EVENT XEN_SCHEDLOG_EV_EVTCHN_SEND

#define PLAIN (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
               XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER)

/* Registers whose rows have 4, 8, 16, 32 and 64 bytes, all with a counter. */
static const uint32_t registers[] = {
    XEN_SCHEDLOG_LCR_COUNTER,
    XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_CURRENT,
    PLAIN,
    PLAIN | XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC,
    PLAIN | 6U << XEN_SCHEDLOG_LCR_PAD_SHIFT,
};

#define NR_REGISTERS (sizeof(registers) / sizeof(registers[0]))

static uint32_t serial_of_next_row; /* what the producer writes next */

static void produce(struct harness *h, unsigned int rows)
{
    while (rows--)
        schedlog_record(h->cpu, EVENT, 2, 3, serial_of_next_row++);
}

/* What happens in the middle of a copy; NULL: nothing. */
static void (*meanwhile)(void *arg);
static void *meanwhile_arg;

static void *slow_memcpy(void *to, const void *from, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i += 4) {
        size_t n = bytes - i < 4 ? bytes - i : 4;

        if (meanwhile)
            meanwhile(meanwhile_arg);
        memcpy((uint8_t *)to + i, (const uint8_t *)from + i, n);
    }

    return to;
}

/* Follows the serial numbers; every gap has to be a counted loss. */
struct checker {
    uint32_t next_serial;
    uint64_t rows;
};

static void check(struct checker *c, const struct xensched_batch *b)
{
    struct xensched_row row;
    size_t i;

    c->next_serial += b->lost_rows;
    for (i = 0; i < xensched_batch_rows(b); i++) {
        xensched_batch_row(b, i, &row);
        assert_int_equal(row.counter, c->next_serial);
        c->next_serial++;
        c->rows++;
    }
}

static uint8_t *buffer;

static void setup_reader(struct harness **h, struct xensched_reader *r,
                         uint32_t size)
{
    buffer = malloc(size < XEN_SCHEDLOG_MAX_ROW_SIZE
                    ? XEN_SCHEDLOG_MAX_ROW_SIZE : size);
    assert_non_null(buffer);
    serial_of_next_row = 0;
    meanwhile = NULL;
    *h = harness_new(8, 1, size);
    xensched_reader_init(r, (*h)->state, (*h)->data[0], size,
                         XENSCHED_BEGIN_OLDEST);
}

static void teardown(struct harness *h)
{
    meanwhile = NULL;
    harness_free(h);
    free(buffer);
}

static void drain(struct xensched_reader *r, size_t room, struct checker *c)
{
    struct xensched_batch b;
    int rc;

    do {
        rc = xensched_reader_read(r, buffer, room, &b);
        assert_true(rc >= 0);
        check(c, &b);
    } while (rc == 1);
}

static void rows_come_out_once_and_in_order(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;
    unsigned int i;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    for (i = 0; i < 1000; i++) {
        produce(h, i % 60);
        drain(&r, 1024, &c);
        assert_int_equal(c.rows, serial_of_next_row);
    }
    assert_int_equal(r.stats.lost_bytes, 0);
    assert_int_equal(r.stats.rows, serial_of_next_row);
    teardown(h);
}

static void nothing_is_there_before_the_first_event(void **state)
{
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), 0);
    assert_int_equal(b.length, 0);
    assert_int_equal(b.lost_bytes, 0);
    teardown(h);
}

static void a_reader_of_now_sees_only_what_comes(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 10000);
    xensched_reader_init(&r, h->state, h->data[0], 1024, XENSCHED_BEGIN_NOW);
    c.next_serial = serial_of_next_row;
    drain(&r, 1024, &c);
    produce(h, 5);
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 5);
    assert_int_equal(r.stats.lost_bytes, 0);
    teardown(h);
}

static void every_overwritten_row_is_counted(void **state)
{
    uint64_t seed = 1;
    size_t k;

    (void)state;
    for (k = 0; k < NR_REGISTERS; k++) {
        struct checker c = { 0 };
        struct xensched_reader r;
        struct harness *h;
        unsigned int i;

        setup_reader(&h, &r, 512);
        harness_route_all(h, 0, registers[k]);
        drain(&r, 512, &c);
        for (i = 0; i < 3000; i++) {
            produce(h, harness_random_below(&seed, 200));
            drain(&r, 64 + harness_random_below(&seed, 449), &c);
            assert_int_equal(c.next_serial, serial_of_next_row);
        }
        assert_int_equal(c.rows + r.stats.lost_rows, serial_of_next_row);
        assert_int_equal(r.stats.rows, c.rows);
        assert_true(r.stats.lost_rows > 0 && c.rows > 0);
        assert_int_equal(r.stats.unknown_bytes, 0);
        teardown(h);
    }
}

struct interference {
    struct harness *h;
    uint64_t seed;
    uint32_t chance; /* 1 of so many words copied */
};

static void interfere(void *arg)
{
    struct interference *in = arg;

    if (!harness_random_below(&in->seed, in->chance))
        produce(in->h, 1 + harness_random_below(&in->seed, 4));
}

static void a_row_overwritten_while_it_is_copied_is_dropped(void **state)
{
    struct interference in = { .seed = 2 };
    size_t k;

    (void)state;
    for (k = 0; k < NR_REGISTERS; k++) {
        for (in.chance = 2; in.chance < 5000; in.chance *= 3) {
            struct checker c = { 0 };
            struct xensched_reader r;
            struct harness *h;
            unsigned int i;

            setup_reader(&h, &r, 512);
            harness_route_all(h, 0, registers[k]);
            drain(&r, 512, &c);
            in.h = h;
            meanwhile = interfere;
            meanwhile_arg = &in;
            for (i = 0; i < 300; i++) {
                struct xensched_batch b;

                produce(h, harness_random_below(&in.seed, 40));
                assert_true(xensched_reader_read(&r, buffer, 512, &b) >= 0);
                check(&c, &b);
            }
            meanwhile = NULL;
            drain(&r, 512, &c);
            assert_int_equal(c.next_serial, serial_of_next_row);
            teardown(h);
        }
    }
}

/* A producer that was stopped between writing a row and its position. */
static void a_row_in_flight_is_never_delivered(void **state)
{
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;
    uint32_t size;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, PLAIN);
    produce(h, 32);
    size = h->state[0].row_size;
    memset(h->data[0] + h->state[0].pos % 512, 0xff, size);

    assert_int_equal(xensched_reader_read(&r, buffer, 512, &b), 0);
    assert_int_equal(b.lost_rows, 1);
    assert_int_equal(b.length, 512 - size);
    assert_int_equal(b.pos, size);
    teardown(h);
}

static void both_sides_of_a_change_of_the_layout_are_decoded(void **state)
{
    size_t from, to;
    unsigned int rows;

    (void)state;
    for (from = 0; from < NR_REGISTERS; from++)
        for (to = 0; to < NR_REGISTERS; to++)
            for (rows = 1; rows < 20; rows++) {
                struct checker c = { 0 };
                struct xensched_reader r;
                struct harness *h;

                setup_reader(&h, &r, 4096);
                harness_route_all(h, 0, registers[from]);
                produce(h, 1);
                drain(&r, 4096, &c);
                produce(h, rows);
                harness_route_all(h, 0, registers[to]);
                produce(h, rows);
                drain(&r, 4096, &c);
                assert_int_equal(c.rows, 1 + 2 * rows);
                assert_int_equal(r.stats.lost_bytes, 0);
                teardown(h);
            }
}

static void rows_lost_around_a_change_of_the_layout_are_counted(void **state)
{
    size_t from, to;
    unsigned int rows;

    (void)state;
    for (from = 0; from < NR_REGISTERS; from++)
        for (to = 0; to < NR_REGISTERS; to++)
            for (rows = 0; rows < 150; rows++) {
                struct checker c = { 0 };
                struct xensched_reader r;
                struct harness *h;

                setup_reader(&h, &r, 512);
                harness_route_all(h, 0, registers[from]);
                drain(&r, 512, &c);
                produce(h, 1);
                drain(&r, 512, &c);
                produce(h, 7);
                harness_route_all(h, 0, registers[to]);
                produce(h, rows);
                drain(&r, 512, &c);
                assert_int_equal(c.next_serial, serial_of_next_row);
                assert_int_equal(r.stats.unknown_bytes, 0);
                teardown(h);
            }
}

/* A producer that was stopped after it announced a layout. */
static void a_layout_is_announced_before_its_position(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;
    uint64_t pos;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, registers[2]);
    produce(h, 3);
    drain(&r, 1024, &c);
    produce(h, 2);
    pos = h->state[0].pos;
    schedlog_set_layout(&h->cpu->file[0], registers[4]);
    h->lcr[0] = registers[4];
    assert_true(h->state[0].layout_gap > 0);
    h->state[0].pos = pos;
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 5);
    drain(&r, 1024, &c);
    produce(h, 2);
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 7);
    assert_int_equal(r.stats.nonsense, 0);
    assert_int_equal(r.stats.lost_bytes, 0);
    teardown(h);
}

/* As above, with the first row of the new layout under way. */
static void a_row_behind_an_announcement_is_never_delivered(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;
    uint64_t pos;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, registers[2]);
    produce(h, 1);
    drain(&r, 512, &c);
    produce(h, 33);
    pos = h->state[0].pos;
    schedlog_set_layout(&h->cpu->file[0], registers[4]);
    memset(h->data[0] + h->state[0].pos % 512, 0xff, 64);
    h->state[0].pos = pos;
    drain(&r, 512, &c);
    assert_true(c.rows > 1);
    assert_int_equal(c.next_serial, serial_of_next_row);
    teardown(h);
}

/* As above, but in the middle of a copy. */
static void begin_a_larger_row(void *arg)
{
    struct harness *h = arg;
    uint64_t pos = h->state[0].pos;

    meanwhile = NULL;
    schedlog_set_layout(&h->cpu->file[0], registers[4]);
    memset(h->data[0] + h->state[0].pos % 512, 0xff, 64);
    h->state[0].pos = pos;
}

static void a_larger_row_in_flight_is_never_delivered(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, registers[2]);
    drain(&r, 512, &c);
    produce(h, 33);
    meanwhile = begin_a_larger_row;
    meanwhile_arg = h;
    assert_true(xensched_reader_read(&r, buffer, 512, &b) >= 0);
    check(&c, &b);
    assert_true(c.rows > 0);
    assert_int_equal(c.next_serial, serial_of_next_row);
    teardown(h);
}

static void rows_of_a_layout_never_seen_are_lost_bytes(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 4096);
    harness_route_all(h, 0, registers[0]);
    produce(h, 8);
    drain(&r, 4096, &c);
    produce(h, 6);                         /* 24 bytes, lost */
    harness_route_all(h, 0, registers[1]);
    produce(h, 3);                         /* 24 bytes, lost */
    harness_route_all(h, 0, registers[2]);
    produce(h, 5);
    c.next_serial += 9;

    assert_int_equal(xensched_reader_read(&r, buffer, 4096, &b), 0);
    assert_int_equal(b.lost_rows, 0);
    assert_int_equal(b.lost_bytes, 48);
    check(&c, &b);
    assert_int_equal(c.next_serial, serial_of_next_row);
    assert_int_equal(r.stats.unknown_bytes, 48);
    teardown(h);
}

static void a_register_which_writes_nothing_ends_the_rows(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 32);
    harness_route_all(h, 0, registers[0]);
    produce(h, 3);
    drain(&r, 64, &c);
    produce(h, 2);
    harness_route_all(h, 0, registers[4]); /* larger than the log file */
    schedlog_record(h->cpu, EVENT, 2, 3, 0);
    drain(&r, 64, &c);
    assert_int_equal(c.rows, 5);
    harness_route_all(h, 0, registers[1]);
    produce(h, 2);
    drain(&r, 64, &c);
    assert_int_equal(c.rows, 7);
    assert_int_equal(r.stats.lost_bytes, 0);
    assert_int_equal(r.stats.nonsense, 0);
    teardown(h);
}

static void interfere_with_layout(void *arg)
{
    struct interference *in = arg;

    interfere(arg);
    if (!harness_random_below(&in->seed, 8 * in->chance))
        in->h->lcr[0] = registers[harness_random_below(&in->seed,
                                                       NR_REGISTERS)];
}

/*
 * Bytes of unknown layout make serial numbers jump, so here a row may come
 * late but must be a row that was written, and in order.
 */
static void changes_of_the_layout_never_yield_a_wrong_row(void **state)
{
    struct interference in = { .seed = 3, .chance = 200 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct xensched_row row;
    uint32_t expected = 0;
    struct harness *h;
    unsigned int i;
    size_t k;

    (void)state;
    setup_reader(&h, &r, 512);
    harness_route_all(h, 0, registers[0]);
    in.h = h;
    meanwhile = interfere_with_layout;
    meanwhile_arg = &in;
    for (i = 0; i < 30000; i++) {
        uint64_t unknown = r.stats.unknown_bytes;

        interfere_with_layout(&in);
        produce(h, harness_random_below(&in.seed, 4));
        assert_true(xensched_reader_read(&r, buffer, 512, &b) >= 0);
        expected += b.lost_rows;
        for (k = 0; k < xensched_batch_rows(&b); k++) {
            xensched_batch_row(&b, k, &row);
            if (r.stats.unknown_bytes != unknown && row.counter > expected)
                expected = row.counter;
            assert_int_equal(row.counter, expected);
            expected++;
        }
    }
    assert_int_equal(r.stats.nonsense, 0);
    assert_true(r.stats.rows > 10000);
    teardown(h);
}

static void blocks_of_rows_are_decoded_as_each_of_them(void **state)
{
    struct xensched_row rows[8], row;
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;
    size_t first, nr, i;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 21);
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), 0);
    b.cpu = 5;
    for (first = 0; (nr = xensched_batch_decode(&b, first, rows, 8));
         first += nr) {
        assert_int_equal(nr, first < 16 ? 8 : 5);
        for (i = 0; i < nr; i++) {
            xensched_batch_row(&b, first + i, &row);
            assert_memory_equal(&rows[i], &row, sizeof(row));
            assert_int_equal(row.cpu, 5);
        }
    }
    assert_int_equal(first, 21);
    assert_int_equal(xensched_batch_decode(&b, 100, rows, 8), 0);
    teardown(h);
}

static void a_small_buffer_only_takes_longer(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 4096);
    harness_route_all(h, 0, PLAIN);
    produce(h, 200);
    drain(&r, XEN_SCHEDLOG_MAX_ROW_SIZE, &c);
    assert_int_equal(c.rows, 200);
    teardown(h);
}

static void a_layout_in_change_is_left_for_the_next_call(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 4);
    h->state[0].layout_seq++;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EAGAIN);
    assert_int_equal(b.length, 0);
    assert_int_equal(r.stats.busy, 1);
    h->state[0].layout_seq--;
    drain(&r, 1024, &c);
    assert_int_equal(c.rows, 4);
    teardown(h);
}

static void a_position_that_goes_back_is_noticed_and_survived(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 20);
    drain(&r, 1024, &c);
    h->state[0].pos -= 5 * h->state[0].row_size;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EPROTO);
    assert_int_equal(b.length, 0);
    assert_int_equal(r.stats.nonsense, 1);
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), 0);
    teardown(h);
}

static void a_row_size_which_does_not_fit_the_register_is_refused(void **state)
{
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 4);
    h->state[0].row_size *= 2;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EPROTO);
    assert_int_equal(b.length, 0);
    teardown(h);
}

static void a_register_that_changed_without_notice_is_refused(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 4);
    drain(&r, 1024, &c);
    produce(h, 4);
    h->state[0].lcr ^= XEN_SCHEDLOG_LCR_CURRENT;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EPROTO);
    assert_int_equal(b.length, 0);
    teardown(h);
}

/* A state which can be, so that the reader goes on to where rows are. */
static void make_plausible(struct xen_schedlog_state *s, uint64_t *seed)
{
    struct xensched_layout layout;

    s->lcr = registers[harness_random_below(seed, NR_REGISTERS)];
    xensched_layout(s->lcr, &layout);
    s->row_size = layout.size;
    s->layout_gap = 0;
    s->layout_seq &= ~1U;
    s->pos &= 0xfffc0;
    s->layout_pos = s->pos;
    s->pos += harness_random_below(seed, 20) * layout.size;
}

static void randomise(void *arg)
{
    struct interference *in = arg;
    struct xen_schedlog_state *s = in->h->state;
    static const uint64_t masks[] = { ~0ULL, 0xfff, 0xff0, 0x7f, ~0ULL << 60 };
    uint64_t mask = masks[harness_random_below(&in->seed, 5)];

    switch (harness_random_below(&in->seed, 11)) {
    case 0: s->pos = harness_random(&in->seed) & mask; break;
    case 1: s->layout_pos = harness_random(&in->seed) & mask; break;
    case 2: s->lcr = registers[harness_random_below(&in->seed, 5)]; break;
    case 3: s->lcr = harness_random(&in->seed); break;
    case 4: s->row_size = 1U << harness_random_below(&in->seed, 8); break;
    case 5: s->layout_seq += harness_random_below(&in->seed, 5); break;
    case 6: s->layout_gap = harness_random(&in->seed) & mask; break;
    case 7: s->pos += harness_random(&in->seed) & mask; break;
    case 8: s->layout_pos = s->pos; break;
    case 9: make_plausible(s, &in->seed); break;
    }
}

static void randomise_at_times(void *arg)
{
    struct interference *in = arg;

    if (!harness_random_below(&in->seed, in->chance))
        randomise(arg);
}

/* The address sanitizer is the judge here. */
static void no_state_makes_the_reader_leave_its_memory(void **state)
{
    struct interference in = { .seed = 4, .chance = 100 };
    struct xensched_reader r;
    struct xensched_batch b;
    unsigned int i, refused = 0, delivered = 0;

    (void)state;
    setup_reader(&in.h, &r, 512);
    meanwhile = randomise_at_times;
    meanwhile_arg = &in;
    for (i = 0; i < 200000; i++) {
        size_t room = 64 + harness_random_below(&in.seed, 449);
        int rc;

        randomise(&in);
        rc = xensched_reader_read(&r, buffer, room, &b);
        assert_true(rc == 0 || rc == 1 || rc == -EAGAIN || rc == -EPROTO);
        refused += rc < 0;
        delivered += b.length > 0;
        assert_true(b.length <= room);
        assert_true((const uint8_t *)b.rows >= buffer);
        assert_true((const uint8_t *)b.rows + b.length <= buffer + room);
        if (i % 1000 == 0)
            xensched_reader_init(&r, in.h->state, in.h->data[0], 512, i & 1);
    }
    assert_true(refused > 1000 && delivered > 1000);
    teardown(in.h);
}

struct race {
    struct harness *h;
    bool stop;
};

static void *race_producer(void *arg)
{
    struct race *race = arg;
    unsigned int i;

    while (!__atomic_load_n(&race->stop, __ATOMIC_RELAXED)) {
        produce(race->h, 1 + serial_of_next_row % 97);
        for (i = 0; i < serial_of_next_row % 1009; i++)
            __asm__ volatile ( "" );
    }

    return NULL;
}

static void a_producer_on_another_cpu_is_never_misread(void **state)
{
    static const uint32_t sizes[] = { 256, 4096, 65536 };
    struct timespec start, now;
    unsigned int k;

    (void)state;
    for (k = 0; k < 3; k++) {
        struct checker c = { 0 };
        struct race race = { 0 };
        struct xensched_reader r;
        pthread_t thread;

        setup_reader(&race.h, &r, sizes[k]);
        harness_route_all(race.h, 0, PLAIN);
        drain(&r, sizes[k], &c);
        assert_int_equal(pthread_create(&thread, NULL, race_producer, &race),
                         0);
        clock_gettime(CLOCK_MONOTONIC, &start);
        do {
            struct xensched_batch b;

            assert_true(xensched_reader_read(&r, buffer, sizes[k], &b) >= 0);
            check(&c, &b);
            clock_gettime(CLOCK_MONOTONIC, &now);
        } while (now.tv_sec - start.tv_sec < 1);
        __atomic_store_n(&race.stop, true, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
        drain(&r, sizes[k], &c);
        assert_int_equal(c.next_serial, serial_of_next_row);
        assert_true(c.rows > 0);
        print_message("# %u byte log file: %llu rows written, %llu read, "
                      "%llu overwritten\n", sizes[k],
                      (unsigned long long)serial_of_next_row,
                      (unsigned long long)c.rows,
                      (unsigned long long)r.stats.lost_rows);
        teardown(race.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_out_once_and_in_order),
        cmocka_unit_test(nothing_is_there_before_the_first_event),
        cmocka_unit_test(a_reader_of_now_sees_only_what_comes),
        cmocka_unit_test(every_overwritten_row_is_counted),
        cmocka_unit_test(a_row_overwritten_while_it_is_copied_is_dropped),
        cmocka_unit_test(a_row_in_flight_is_never_delivered),
        cmocka_unit_test(both_sides_of_a_change_of_the_layout_are_decoded),
        cmocka_unit_test(rows_lost_around_a_change_of_the_layout_are_counted),
        cmocka_unit_test(a_layout_is_announced_before_its_position),
        cmocka_unit_test(a_row_behind_an_announcement_is_never_delivered),
        cmocka_unit_test(a_larger_row_in_flight_is_never_delivered),
        cmocka_unit_test(rows_of_a_layout_never_seen_are_lost_bytes),
        cmocka_unit_test(a_register_which_writes_nothing_ends_the_rows),
        cmocka_unit_test(changes_of_the_layout_never_yield_a_wrong_row),
        cmocka_unit_test(blocks_of_rows_are_decoded_as_each_of_them),
        cmocka_unit_test(a_small_buffer_only_takes_longer),
        cmocka_unit_test(a_layout_in_change_is_left_for_the_next_call),
        cmocka_unit_test(a_position_that_goes_back_is_noticed_and_survived),
        cmocka_unit_test(
            a_row_size_which_does_not_fit_the_register_is_refused),
        cmocka_unit_test(a_register_that_changed_without_notice_is_refused),
        cmocka_unit_test(no_state_makes_the_reader_leave_its_memory),
        cmocka_unit_test(a_producer_on_another_cpu_is_never_misread),
    };

    return run_tap_tests(tests);
}
