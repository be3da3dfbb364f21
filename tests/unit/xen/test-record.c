/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that Xen's record handler keeps the promises of public/schedlog.h.
 *
 * The test compiles the hypervisor's own files.  It compares rows with the structs that the header
 * describes, not with the handler's offsets.  Memory around the writable part has a pattern, which
 * must stay.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long test_tsc;
#define schedlog_tsc() (test_tsc)

#include "schedlog-record.h"
#include "common/schedlog/record.c"

#include <cmocka.h>

#define NR_ACCT 16
#define NR_FILES 4
#define FILE_SIZE 256
#define GUARD 256
#define PATTERN 0xa5

#define LCR(entry) XEN_SCHEDLOG_LCR_##entry
#define IDS (LCR(EVENT) | LCR(CURRENT) | LCR(CORRESPONDENT))
#define PLAIN (IDS | LCR(COUNTER) | LCR(TIME_TSC))

/* A CPU with its area, whose log buffers are apart from each other. */
struct area {
    struct schedlog_cpu *cpu;
    uint32_t lcr[NR_FILES];
    uint64_t route[NR_ACCT * XEN_SCHEDLOG_NR_EVENTS];
    uint32_t skipped[NR_ACCT * XEN_SCHEDLOG_NR_EVENTS];
    struct xen_schedlog_state state[NR_FILES];
    struct {
        uint8_t before[GUARD];
        uint8_t row[FILE_SIZE];
        uint8_t after[GUARD];
    } data[NR_FILES];
};

static int set_up(void **test)
{
    struct area *a = calloc(1, sizeof(*a));

    a->cpu = calloc(1, sizeof(*a->cpu) +
                       NR_FILES * sizeof(struct schedlog_file));
    a->cpu->lcr = a->lcr;
    a->cpu->route = a->route;
    a->cpu->skipped = a->skipped;
    a->cpu->acct_mask = NR_ACCT - 1;
    a->cpu->file_mask = NR_FILES - 1;
    for (int i = 0; i < NR_FILES; i++) {
        memset(&a->data[i], PATTERN, sizeof(a->data[i]));
        memset(a->data[i].row, 0, FILE_SIZE);
        schedlog_init_file(&a->cpu->file[i], a->data[i].row, FILE_SIZE,
                           &a->state[i]);
    }
    *test = a;

    return 0;
}

static int tear_down(void **test)
{
    struct area *a = *test;

    free(a->cpu);
    free(a);

    return 0;
}

static void route(struct area *a, unsigned int acct, unsigned int event,
                  unsigned int file, uint32_t threshold)
{
    a->route[acct * XEN_SCHEDLOG_NR_EVENTS + event] =
        XEN_SCHEDLOG_ROUTE_VALID |
        ((uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT) | threshold;
}

static void assert_guards_intact(const struct area *a)
{
    for (int i = 0; i < NR_FILES; i++)
        for (int j = 0; j < GUARD; j++) {
            assert_int_equal(a->data[i].before[j], PATTERN);
            assert_int_equal(a->data[i].after[j], PATTERN);
        }
}

static void an_area_of_zeroes_logs_nothing(void **test)
{
    struct area *a = *test;

    schedlog_record(a->cpu, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 1);

    for (int i = 0; i < NR_FILES; i++)
        assert_int_equal(a->state[i].pos, 0);
}

static void without_a_valid_route_nothing_is_logged(void **test)
{
    struct area *a = *test;

    a->lcr[1] = IDS;
    route(a, 2, XEN_SCHEDLOG_EV_GRANT_MAP, 1, 0);
    a->route[2 * XEN_SCHEDLOG_NR_EVENTS + XEN_SCHEDLOG_EV_GRANT_MAP] &=
        ~XEN_SCHEDLOG_ROUTE_VALID;

    schedlog_record(a->cpu, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 1);

    assert_int_equal(a->state[1].pos, 0);
}

/*
 * The row according to the header: a struct of the selected entries, each naturally aligned.  The
 * test builds it entry by entry, independently of the handler.
 */
struct expected {
    uint8_t bytes[64];
    bool known[64];
    unsigned int size;
};

static void expect(struct expected *e, uint64_t value, unsigned int size)
{
    while (e->size % size)
        e->size++;
    memcpy(e->bytes + e->size, &value, size);
    memset(e->known + e->size, true, size);
    e->size += size;
}

static struct expected expected_row(uint32_t lcr, uint16_t event, uint16_t cur,
                                    uint16_t corr, uint64_t count,
                                    uint64_t time)
{
    unsigned int pad = (lcr & LCR(PAD_MASK)) >> LCR(PAD_SHIFT);
    unsigned int size = 1;
    struct expected e = {};

    if (lcr & LCR(EVENT))
        expect(&e, event, 2);
    if (lcr & LCR(CURRENT))
        expect(&e, cur, 2);
    if (lcr & LCR(CORRESPONDENT))
        expect(&e, corr, 2);
    if ((lcr & LCR(COUNTER)) && (lcr & LCR(COUNTER64)))
        expect(&e, count, 8);
    else if (lcr & LCR(COUNTER))
        expect(&e, count > UINT32_MAX ? UINT32_MAX : count, 4);
    switch (lcr & LCR(TIME_MASK)) {
    case LCR(TIME_VIRTUAL):
    case LCR(TIME_TICK):
    case LCR(TIME_TSC):
        expect(&e, time, (lcr & LCR(TIME64)) ? 8 : 4);
    }

    if (e.size) {
        while (size < e.size || size < (1U << (pad > 6 ? 6 : pad)))
            size *= 2;
        e.size = size;
    }

    return e;
}

/* Logs one event with @lcr, and checks the row. */
static void assert_row(struct area *a, uint32_t lcr, uint64_t count,
                       uint64_t *pos, uint64_t *virtual_time)
{
    uint64_t time = 0x0102030405060708ULL * lcr;
    struct expected e;

    test_tsc = time;
    if ((lcr & LCR(TIME_MASK)) == LCR(TIME_VIRTUAL))
        time = (*virtual_time)++;
    if ((lcr & LCR(TIME_MASK)) == LCR(TIME_TICK))
        time = a->cpu->tick = lcr + 0x1000000000ULL;
    e = expected_row(lcr, XEN_SCHEDLOG_EV_EVTCHN_SEND, 7, 0x1234, count, time);

    a->lcr[1] = lcr;
    memset(a->data[1].row, 0, FILE_SIZE);
    schedlog_record(a->cpu, XEN_SCHEDLOG_EV_EVTCHN_SEND, 7, 0x1234, count);

    assert_int_equal(a->state[1].row_size, e.size);
    if (!e.size) {
        assert_int_equal(a->state[1].pos, *pos);
        return;
    }
    *pos = (*pos + e.size - 1) / e.size * e.size;
    for (unsigned int i = 0; i < e.size; i++)
        if (e.known[i])
            assert_int_equal(a->data[1].row[*pos % FILE_SIZE + i], e.bytes[i]);
    *pos += e.size;
    assert_int_equal(a->state[1].pos, *pos);
}

/* Another path writes the first row after a change of the register. */
static void any_selection_of_entries_makes_the_row_of_the_header(void **test)
{
    struct area *a = *test;
    uint64_t pos = 0, virtual_time = 0;

    route(a, 7, XEN_SCHEDLOG_EV_EVTCHN_SEND, 1, 0);

    /* All registers but for ADD and the shift, both tested below. */
    for (uint32_t lcr = 0; lcr < (1U << LCR(TSC_SHIFT)); lcr++) {
        uint64_t count = lcr & 1 ? 0x1122334455667788ULL : 42;

        if (lcr & LCR(ADD))
            continue;
        for (unsigned int row = 0; row < 3; row++)
            assert_row(a, lcr, count + row, &pos, &virtual_time);
    }

    assert_guards_intact(a);
}

static void the_tsc_is_shifted_right_as_told(void **test)
{
    struct area *a = *test;

    route(a, 2, 0, 0, 0);
    test_tsc = 0xfedcba9876543210ULL;

    for (unsigned int shift = 0; shift < 64; shift++) {
        uint64_t pos = a->state[0].pos, time;

        a->lcr[0] = LCR(TIME_TSC) | LCR(TIME64) | shift << LCR(TSC_SHIFT);
        schedlog_record(a->cpu, 0, 2, 3, 1);
        memcpy(&time, &a->data[0].row[pos % FILE_SIZE], sizeof(time));
        assert_int_equal(time, test_tsc >> shift);

        a->lcr[0] = PLAIN | shift << LCR(TSC_SHIFT);
        for (unsigned int row = 0; row < 2; row++) {
            uint32_t low;

            schedlog_record(a->cpu, 0, 2, 3, 1);
            memcpy(&low,
                   &a->data[0].row[(a->state[0].pos - 4) % FILE_SIZE],
                   sizeof(low));
            assert_int_equal(low, (uint32_t)(test_tsc >> shift));
        }
    }
}

static void events_within_an_accounting_domain_are_not_logged(void **test)
{
    struct area *a = *test;

    route(a, 2, 0, 0, 3);
    a->lcr[0] = IDS;

    for (int i = 0; i < 10; i++)
        schedlog_record(a->cpu, 0, 2, 2, 1);

    assert_int_equal(a->state[0].pos, 0);
    /* The event does not count towards the threshold either. */
    assert_int_equal(a->skipped[2 * XEN_SCHEDLOG_NR_EVENTS], 0);
}

static void a_threshold_lets_every_nth_event_through(void **test)
{
    struct area *a = *test;

    a->lcr[0] = IDS;

    for (uint32_t threshold = 0; threshold < 20; threshold++) {
        uint64_t pos = a->state[0].pos;
        unsigned int nth = threshold ? threshold : 1;

        route(a, 2, 0, 0, threshold);
        for (unsigned int i = 0; i < 3 * nth; i++)
            schedlog_record(a->cpu, 0, 2, 3, 1);
        assert_int_equal(a->state[0].pos - pos, 3 * 8);
    }
}

static void thresholds_of_accounting_domains_are_independent(void **test)
{
    struct area *a = *test;

    a->lcr[0] = IDS;
    a->lcr[1] = IDS;
    route(a, 2, 0, 0, 5);
    route(a, 3, 0, 1, 2);

    for (int i = 0; i < 20; i++) {
        schedlog_record(a->cpu, 0, 2, 4, 1);
        schedlog_record(a->cpu, 0, 3, 4, 1);
    }

    assert_int_equal(a->state[0].pos, 4 * 8);
    assert_int_equal(a->state[1].pos, 10 * 8);
}

/* Makes one run interval of accounting domain 2, which uses @count. */
static void stay(struct area *a, uint64_t count)
{
    if (schedlog_enter(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2))
        schedlog_leave(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, count);
}

/* Returns the counter of the last row in log buffer 0, whose rows have nothing else. */
static uint32_t counter_of_last_row(const struct area *a)
{
    uint32_t counter;

    memcpy(&counter, &a->data[0].row[(a->state[0].pos - 4) % FILE_SIZE], 4);

    return counter;
}

static void every_nth_stay_is_logged(void **test)
{
    struct area *a = *test;

    a->lcr[0] = LCR(COUNTER);

    for (uint32_t threshold = 0; threshold < 20; threshold++) {
        unsigned int nth = threshold ? threshold : 1;

        route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 0, threshold);
        for (unsigned int i = 1; i <= 3 * nth; i++) {
            uint64_t pos = a->state[0].pos;

            stay(a, i);
            assert_int_equal(a->state[0].pos - pos, i % nth ? 0 : 4);
            if (i % nth == 0)
                assert_int_equal(counter_of_last_row(a), i);
        }
    }
}

static void a_stay_without_a_valid_route_is_not_counted(void **test)
{
    struct area *a = *test;
    const unsigned int slot = 2 * XEN_SCHEDLOG_NR_EVENTS +
                              XEN_SCHEDLOG_EV_SERVICE_NS;

    a->lcr[0] = LCR(COUNTER);
    a->route[slot] = 3;
    for (int i = 0; i < 10; i++)
        assert_false(schedlog_enter(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2));
    assert_int_equal(a->skipped[slot], 0);
}

static void a_threshold_set_during_a_stay_is_for_the_next(void **test)
{
    struct area *a = *test;

    a->lcr[0] = LCR(COUNTER);
    route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 0, 2);
    stay(a, 1);
    assert_true(schedlog_enter(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2));

    route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 0, 1000);
    schedlog_leave(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, 77);
    assert_int_equal(a->state[0].pos, 4);
    assert_int_equal(counter_of_last_row(a), 77);

    for (int i = 1; i < 1000; i++)
        stay(a, i);
    assert_int_equal(a->state[0].pos, 4);

    /* The threshold is now below the accumulated count, so the next run interval makes a row. */
    route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 0, 10);
    stay(a, 78);
    assert_int_equal(a->state[0].pos, 8);
    assert_int_equal(counter_of_last_row(a), 78);
}

static void a_stay_whose_route_went_away_leaves_no_row(void **test)
{
    struct area *a = *test;

    a->lcr[0] = LCR(COUNTER);
    a->lcr[1] = LCR(COUNTER);
    route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 0, 0);
    assert_true(schedlog_enter(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2));
    a->route[2 * XEN_SCHEDLOG_NR_EVENTS + XEN_SCHEDLOG_EV_SERVICE_NS] = 0;
    schedlog_leave(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, 1);
    assert_int_equal(a->state[0].pos, 0);

    /* If the route changes during the run interval, the row follows the new route. */
    route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 0, 0);
    assert_true(schedlog_enter(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2));
    route(a, 2, XEN_SCHEDLOG_EV_SERVICE_NS, 1, 0);
    schedlog_leave(a->cpu, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, 1);
    assert_int_equal(a->state[0].pos, 0);
    assert_int_equal(a->state[1].pos, 4);
}

static void add_counts_in_place_and_saturates(void **test)
{
    struct area *a = *test;
    struct schedlog_file *file = &a->cpu->file[2];
    uint32_t counter;
    uint64_t counter64;

    /* The log buffer has room for one row. */
    schedlog_init_file(file, a->data[2].row, 16, &a->state[2]);
    route(a, 2, 0, 2, 0);

    a->lcr[2] = LCR(COUNTER) | LCR(ADD) | 4 << LCR(PAD_SHIFT);
    for (int i = 1; i <= 100; i++)
        schedlog_record(a->cpu, 0, 2, 3, i);
    memcpy(&counter, a->data[2].row, sizeof(counter));
    assert_int_equal(counter, 5050);
    assert_int_equal(a->state[2].pos, 100 * 16);

    schedlog_record(a->cpu, 0, 2, 3, UINT32_MAX);
    memcpy(&counter, a->data[2].row, sizeof(counter));
    assert_int_equal(counter, UINT32_MAX);

    memset(a->data[2].row, 0, 16);
    a->lcr[2] |= LCR(COUNTER64);
    for (int i = 0; i < 3; i++)
        schedlog_record(a->cpu, 0, 2, 3, UINT32_MAX);
    memcpy(&counter64, a->data[2].row, sizeof(counter64));
    assert_int_equal(counter64, 3ULL * UINT32_MAX);

    schedlog_record(a->cpu, 0, 2, 3, UINT64_MAX);
    memcpy(&counter64, a->data[2].row, sizeof(counter64));
    assert_true(counter64 == UINT64_MAX);

    /* The amount alone is too large for the counter. */
    a->lcr[2] &= ~LCR(COUNTER64);
    schedlog_record(a->cpu, 0, 2, 3, UINT64_MAX);
    memcpy(&counter, a->data[2].row, sizeof(counter));
    assert_int_equal(counter, UINT32_MAX);

    /* Without the add bit this would be a plain row. */
    memset(a->data[2].row, 0, 16);
    a->lcr[2] = PLAIN | LCR(ADD);
    for (int i = 1; i <= 3; i++)
        schedlog_record(a->cpu, 0, 2, 3, i);
    memcpy(&counter, a->data[2].row + 8, sizeof(counter));
    assert_int_equal(counter, 6);
}

static void a_row_larger_than_its_file_is_not_written(void **test)
{
    struct area *a = *test;

    schedlog_init_file(&a->cpu->file[0], a->data[0].row, 16, &a->state[0]);
    route(a, 2, 0, 0, 0);
    a->lcr[0] = IDS | 6 << LCR(PAD_SHIFT);

    schedlog_record(a->cpu, 0, 2, 3, 1);

    assert_int_equal(a->state[0].pos, 0);
    assert_int_equal(a->state[0].row_size, 0);
    assert_int_equal(a->state[0].lcr, a->lcr[0]);
}

static void a_new_register_tells_where_its_rows_begin(void **test)
{
    struct area *a = *test;

    route(a, 2, 0, 0, 0);
    a->lcr[0] = LCR(EVENT); /* rows of 2 bytes */
    for (int i = 0; i < 3; i++)
        schedlog_record(a->cpu, 0, 2, 3, 1);
    assert_int_equal(a->state[0].layout_seq, 2);
    assert_int_equal(a->state[0].pos, 6);

    a->lcr[0] = IDS | LCR(COUNTER) | LCR(COUNTER64); /* rows of 16 bytes */
    schedlog_record(a->cpu, 0, 2, 3, 1);
    assert_int_equal(a->state[0].layout_seq, 4);
    assert_int_equal(a->state[0].layout_pos, 16);
    assert_int_equal(a->state[0].layout_gap, 10);
    assert_int_equal(a->state[0].row_size, 16);
    assert_int_equal(a->state[0].pos, 32);
}

static uint64_t random64(uint64_t *seed)
{
    /* xorshift64*, S. Vigna, ACM TOMS 42(4), 2016 */
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;

    return *seed * 0x2545f4914f6cdd1dULL;
}

/* Logs any event, in any way. */
static void event(struct area *a, uint64_t r)
{
    const unsigned int number = (r >> 32) % XEN_SCHEDLOG_NR_EVENTS;

    if (r & 4)
        schedlog_record(a->cpu, number, r >> 40, r >> 48, r);
    else if (schedlog_enter(a->cpu, number, r >> 40) || (r & 8))
        schedlog_leave(a->cpu, number, r >> 40, r >> 48, r);
}

/* A hostile scheduler writes anything to its words. */
static void noise_in_control_words_stays_inside_of_the_log_files(void **test)
{
    struct area *a = *test;
    uint64_t seed = 20050324, last[NR_FILES] = {};

    for (int i = 0; i < 2000000; i++) {
        uint64_t r = random64(&seed);

        a->lcr[r % NR_FILES] = random64(&seed);
        /* Few events would get past thresholds of any size. */
        a->route[(r >> 8) % (NR_ACCT * XEN_SCHEDLOG_NR_EVENTS)] =
            random64(&seed) & (r & 1 ? ~0ULL : ~0xfffffffcULL);
        test_tsc = r;
        event(a, r);

        for (int j = 0; j < NR_FILES; j++) {
            const struct xen_schedlog_state *s = &a->state[j];

            assert_true(s->pos >= last[j]);
            assert_true(s->pos >= s->layout_pos);
            assert_int_equal(s->layout_seq & 1, 0);
            assert_true(s->row_size <= XEN_SCHEDLOG_MAX_ROW_SIZE);
            last[j] = s->pos;
        }
    }

    assert_guards_intact(a);
    for (int i = 0; i < NR_FILES; i++)
        assert_true(last[i] > FILE_SIZE);
}

static void noise_for_one_log_file_leaves_the_others_alone(void **test)
{
    struct area *a = *test;
    uint64_t seed = 86166313;

    route(a, 2, 0, 0, 0);
    memset(a->data[1].row, 0x5a, FILE_SIZE);

    for (int i = 0; i < 100000; i++) {
        a->lcr[0] = random64(&seed);
        schedlog_record(a->cpu, 0, 2, 3, random64(&seed));
    }

    for (int i = 0; i < FILE_SIZE; i++)
        assert_int_equal(a->data[1].row[i], 0x5a);
    assert_int_equal(a->state[1].pos, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_area_of_zeroes_logs_nothing),
        TEST(without_a_valid_route_nothing_is_logged),
        TEST(any_selection_of_entries_makes_the_row_of_the_header),
        TEST(the_tsc_is_shifted_right_as_told),
        TEST(events_within_an_accounting_domain_are_not_logged),
        TEST(a_threshold_lets_every_nth_event_through),
        TEST(thresholds_of_accounting_domains_are_independent),
        TEST(every_nth_stay_is_logged),
        TEST(a_stay_without_a_valid_route_is_not_counted),
        TEST(a_threshold_set_during_a_stay_is_for_the_next),
        TEST(a_stay_whose_route_went_away_leaves_no_row),
        TEST(add_counts_in_place_and_saturates),
        TEST(a_row_larger_than_its_file_is_not_written),
        TEST(a_new_register_tells_where_its_rows_begin),
        TEST(noise_in_control_words_stays_inside_of_the_log_files),
        TEST(noise_for_one_log_file_leaves_the_others_alone),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
