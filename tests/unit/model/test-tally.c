/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that a whole batch gives the same matrix as its rows one by one, whatever its layout, and
 * that rejected rows have no effect.
 *
 * There are few intermediate sums, and rows of many pairs displace each other.  No later check
 * would find an error there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"

#include "model/matrix/matrix.h"
#include "model/matrix/tally.h"

#define SECOND 1000000000ULL
#define ROWS   5000U

#define IDS (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT)

static uint8_t bytes[ROWS * XEN_SCHEDLOG_MAX_ROW_SIZE];
static uint64_t seed;

static uint64_t below(uint64_t limit)
{
    return harness_random_below(&seed, limit);
}

/* Writes a row of the layout as the handler does, with noise in its padding. */
static void put(const struct xensched_layout *layout, unsigned int i,
                uint16_t event, uint16_t current, uint16_t correspondent,
                uint64_t counter)
{
    uint8_t *row = bytes + i * layout->size;
    unsigned int j;

    for (j = 0; j < layout->size; j++)
        row[j] = harness_random(&seed);
    if (layout->event != XENSCHED_NO_ENTRY)
        memcpy(row + layout->event, &event, 2);
    if (layout->current != XENSCHED_NO_ENTRY)
        memcpy(row + layout->current, &current, 2);
    if (layout->correspondent != XENSCHED_NO_ENTRY)
        memcpy(row + layout->correspondent, &correspondent, 2);
    if (layout->counter_size)
        memcpy(row + layout->counter, &counter, layout->counter_size);
}

static struct xensched_batch batch_of(uint32_t lcr, unsigned int nr)
{
    struct xensched_batch batch = { .rows = bytes };

    xensched_layout(lcr, &batch.layout);
    batch.length = nr * batch.layout.size;

    return batch;
}

static uint16_t some_event(void)
{
    static const uint16_t events[] = {
        XEN_SCHEDLOG_EV_SERVICE_NS, XEN_SCHEDLOG_EV_EVTCHN_SEND,
        XEN_SCHEDLOG_EV_GRANT_MAP, XEN_SCHEDLOG_EV_RING_PAGES,
        XEN_SCHEDLOG_EV_RUNQ, 999,
    };

    return events[below(6)];
}

static void compare(const struct matrix_entry *entry, void *arg)
{
    const struct matrix *other = arg;
    double rate = matrix_rate(other, entry->event, entry->current,
                              entry->correspondent, 2 * SECOND);

    /* Time on a pCPU differs, see matrix_add_batch(). */
    if (entry->event != XEN_SCHEDLOG_EV_SERVICE_NS &&
        fabs(rate - entry->rate) > 1e-9 * entry->rate)
        fail_msg("event %u: %.12g is not %.12g", entry->event, rate,
                 entry->rate);
}

static void check_layout(uint32_t lcr, unsigned int accts)
{
    struct matrix *one_by_one = matrix_new(SECOND), *at_once =
        matrix_new(SECOND);
    struct xensched_batch batch = batch_of(lcr, ROWS);
    struct xensched_row row;
    unsigned int i;

    for (i = 0; i < ROWS; i++)
        put(&batch.layout, i, some_event(), below(accts),
            below(5) ? below(accts) : XEN_SCHEDLOG_ACCT_NONE,
            below(2) ? below(100) : below(1U << 31));
    for (i = 0; i < ROWS; i++) {
        xensched_batch_row(&batch, i, &row);
        matrix_add(one_by_one, &row, SECOND);
    }
    matrix_add_batch(at_once, &batch, SECOND);
    assert_int_equal(matrix_size(at_once), matrix_size(one_by_one));
    matrix_visit(one_by_one, 2 * SECOND, compare, at_once);
    matrix_free(one_by_one);
    matrix_free(at_once);
}

static void at_once_is_the_same_as_one_by_one(void **state)
{
    static const uint32_t lcrs[] = {
        /* The daemon's own register, then others. */
        IDS | XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_TIME_TSC,
        IDS | XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_COUNTER64 |
            XEN_SCHEDLOG_LCR_TIME_TSC | XEN_SCHEDLOG_LCR_TIME64,
        IDS | XEN_SCHEDLOG_LCR_COUNTER,
        IDS,
        IDS | XEN_SCHEDLOG_LCR_TIME_TSC,
        IDS | XEN_SCHEDLOG_LCR_COUNTER | 6U << XEN_SCHEDLOG_LCR_PAD_SHIFT,
        XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
            XEN_SCHEDLOG_LCR_COUNTER,
        XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_COUNTER,
        XEN_SCHEDLOG_LCR_COUNTER,
        0,
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(lcrs) / sizeof(lcrs[0]); i++) {
        check_layout(lcrs[i], 3);
        check_layout(lcrs[i], 60);
    }
}

/* Allows at most 50 for the pair of 2 and 3, and 0 for others. */
static int64_t most(const void *arg, uint16_t event, uint16_t current,
                    uint16_t correspondent)
{
    assert_null(arg);

    return event == XEN_SCHEDLOG_EV_RING_PAGES && current == 2 &&
           correspondent == 3 ? 50 : -1;
}

static void rejected_rows_are_not_added(void **state)
{
    struct matrix *m = matrix_new(SECOND);
    struct xensched_batch batch = batch_of(IDS | XEN_SCHEDLOG_LCR_COUNTER, 6);
    const uint16_t event = XEN_SCHEDLOG_EV_RING_PAGES;
    struct tally_validation validation = { .most = most };

    (void)state;
    put(&batch.layout, 0, event, 2, 3, 50);
    put(&batch.layout, 1, event, 2, 3, 51);
    put(&batch.layout, 2, event, 3, 2, 1);
    put(&batch.layout, 3, XEN_SCHEDLOG_EV_EVTCHN_SEND, 2, 3, 1);
    put(&batch.layout, 4, event, 2, 3, UINT32_MAX);
    put(&batch.layout, 5, event, 2, 3, 7);
    matrix_add_believable(m, &batch, &validation, SECOND);
    assert_int_equal(validation.refused, 4);
    assert_int_equal(matrix_size(m), 1);
    assert_float_equal(matrix_rate(m, event, 2, 3, SECOND), 57 * M_LN2, 1e-9);
    matrix_free(m);
}

/* Untrusted domains choose the contents of their rows. */
static void count_call(void *arg, const struct xensched_row *row)
{
    unsigned int *calls = arg;

    assert_true(row->current == 7);
    ++*calls;
}

/* The next holder of the pCPU differs each time, but the sum is the same. */
static void time_on_a_pcpu_is_one_sum_whatever_runs_next(void **state)
{
    struct xensched_batch batch = batch_of(IDS | XEN_SCHEDLOG_LCR_COUNTER,
                                           ROWS);
    const uint32_t alone = 1U << XEN_SCHEDLOG_EV_SERVICE_NS;
    unsigned int i, calls = 0;

    (void)state;
    for (i = 0; i < ROWS; i++)
        put(&batch.layout, i, XEN_SCHEDLOG_EV_SERVICE_NS, 7, 8 + i % 500, 1);
    assert_true(tally_batch(&batch, alone, NULL, count_call, &calls));
    assert_int_equal(calls, 1);
    assert_true(tally_batch(&batch, 0, NULL, count_call, &calls));
    assert_true(calls > 1000);
}

static void rows_which_lack_something_are_not_believed(void **state)
{
    const uint32_t all = IDS | XEN_SCHEDLOG_LCR_COUNTER;
    struct tally_validation validation = { .most = most };
    struct matrix *m = matrix_new(SECOND);
    unsigned int bit;

    (void)state;
    for (bit = 0; bit < 4; bit++) {
        struct xensched_batch batch = batch_of(all & ~(1U << bit), 9);
        unsigned int i;

        for (i = 0; i < 9; i++)
            put(&batch.layout, i, XEN_SCHEDLOG_EV_RING_PAGES, 2, 3, 1);
        matrix_add_believable(m, &batch, &validation, SECOND);
        assert_int_equal(validation.refused, 9 * (bit + 1));
    }
    assert_int_equal(matrix_size(m), 0);
    matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_once_is_the_same_as_one_by_one),
        cmocka_unit_test(time_on_a_pcpu_is_one_sum_whatever_runs_next),
        cmocka_unit_test(rejected_rows_are_not_added),
        cmocka_unit_test(rows_which_lack_something_are_not_believed),
    };

    return run_tap_tests(tests);
}
