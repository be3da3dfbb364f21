/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the matrix: rates are those of the rows, they decay at the configured pace, and the size
 * depends on the pairs that occur, not on the host.
 *
 * Policies depend on these numbers.  The decay is lazy, so it could depend on how often a number is
 * read.  Numbers of accounting domains are reused, so a former domain's rates could be taken for
 * the next one's.
 */
#include <math.h>
#include <stdlib.h>

#include "cmocka-tap.h"
#include "harness.h"

#include "model/matrix/cells.h"
#include "model/matrix/matrix.h"

#define SECOND 1000000000ULL
#define HALF_LIFE (2 * SECOND)

#define SEND XEN_SCHEDLOG_EV_EVTCHN_SEND

static struct xensched_row row(unsigned int event, uint16_t current,
                               uint16_t correspondent, uint64_t counter)
{
    return (struct xensched_row){
        .event = event,
        .current = current,
        .correspondent = correspondent,
        .counter = counter,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };
}

static void add(struct matrix *m, unsigned int event, uint16_t current,
                uint16_t correspondent, uint64_t counter, uint64_t now)
{
    struct xensched_row r = row(event, current, correspondent, counter);

    matrix_add(m, &r, now);
}

static void near(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * fabs(expected) + 1e-9)
        fail_msg("%.9g is not %.9g", value, expected);
}

static void an_amount_counts_a_half_after_the_half_life(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    double first;

    (void)state;
    add(m, SEND, 2, 3, 1000, 5 * SECOND);
    first = matrix_rate(m, SEND, 2, 3, 5 * SECOND);
    /* ln 2 / 2 s of 1000 */
    near(first, 1000 * M_LN2 / 2);
    near(matrix_rate(m, SEND, 2, 3, 7 * SECOND), first / 2);
    near(matrix_rate(m, SEND, 2, 3, 9 * SECOND), first / 4);
    near(matrix_rate(m, SEND, 2, 3, 25 * SECOND), first / 1024);
    matrix_free(m);
}

static void a_steady_rate_is_what_comes_out(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    uint64_t now;

    (void)state;
    for (now = 0; now < 60 * SECOND; now += SECOND / 100)
        add(m, SEND, 2, 3, 5, now);
    assert_true(fabs(matrix_rate(m, SEND, 2, 3, now) - 500) < 2);
    matrix_free(m);
}

static void looking_does_not_change_a_rate(void **state)
{
    struct matrix *a = matrix_new(HALF_LIFE), *b = matrix_new(HALF_LIFE);
    uint64_t now, seed = 1;

    (void)state;
    for (now = 0; now < 10 * SECOND; now += 7919317) {
        uint64_t amount = harness_random_below(&seed, 3);

        if (amount) {
            add(a, SEND, 2, 3, amount, now);
            add(b, SEND, 2, 3, amount, now);
        }
        matrix_rate(b, SEND, 2, 3, now);
    }
    near(matrix_rate(a, SEND, 2, 3, now), matrix_rate(b, SEND, 2, 3, now));
    matrix_free(a);
    matrix_free(b);
}

static void a_clock_which_stands_still_or_goes_back_does_no_harm(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    double rate;

    (void)state;
    add(m, SEND, 2, 3, 10, 100 * SECOND);
    add(m, SEND, 2, 3, 10, 100 * SECOND);
    add(m, SEND, 2, 3, 10, 99 * SECOND);
    rate = matrix_rate(m, SEND, 2, 3, 100 * SECOND);
    near(rate, 30 * M_LN2 / 2);
    near(matrix_rate(m, SEND, 2, 3, 0), rate);
    matrix_free(m);
}

static void directions_and_events_are_apart(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);

    (void)state;
    add(m, SEND, 2, 3, 10, 0);
    add(m, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 100, 0);
    near(matrix_rate(m, SEND, 2, 3, 0), 10 * M_LN2 / 2);
    near(matrix_rate(m, SEND, 3, 2, 0), 0);
    near(matrix_rate(m, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 0),
         100 * M_LN2 / 2);
    near(matrix_rate(m, SEND, 2, 4, 0), 0);
    assert_int_equal(matrix_size(m), 2);
    matrix_free(m);
}

/* Time that was used little by little has partly decayed when it is reported. */
static void service_time_is_a_share_of_a_pcpu(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    uint64_t now;

    (void)state;
    for (now = SECOND / 100; now < 60 * SECOND; now += SECOND / 100) {
        add(m, XEN_SCHEDLOG_EV_SERVICE_NS, 2, now & 1 ? 3 : 4, SECOND / 200,
            now);
        if (now % (5 * SECOND) == 0)
            add(m, XEN_SCHEDLOG_EV_SERVICE_NS, 5, 2, 5 * SECOND, now);
    }
    now -= SECOND / 100;
    assert_true(fabs(matrix_service(m, 2, now) - 0.5) < 0.01);
    /* The domain is alone on its pCPU all the time, with a row every 5 s. */
    assert_true(matrix_service(m, 5, 55 * SECOND) > 0.99);
    assert_true(matrix_service(m, 5, 55 * SECOND) < 1.01);
    matrix_free(m);
}

static void rows_without_a_domain_are_left_out(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    struct xensched_row r = row(SEND, 2, 3, 1);

    (void)state;
    r.valid &= ~XENSCHED_ROW_CORRESPONDENT;
    matrix_add(m, &r, 0);
    r = row(SEND, 2, 3, 1);
    r.valid &= ~XENSCHED_ROW_EVENT;
    matrix_add(m, &r, 0);
    r = row(0xffff, 2, 3, 1);
    matrix_add(m, &r, 0);
    r = row(XEN_SCHEDLOG_EV_RUNQ, 1, 0xffff, 4); /* no pair of domains */
    matrix_add(m, &r, 0);
    assert_int_equal(matrix_size(m), 0);
    /* Without a counter a row stands for one. */
    r = row(SEND, 2, 3, 55);
    r.valid &= ~XENSCHED_ROW_COUNTER;
    matrix_add(m, &r, 0);
    near(matrix_rate(m, SEND, 2, 3, 0), M_LN2 / 2);
    matrix_free(m);
}

struct totals {
    uint64_t total;
    size_t nr;
};

static void sum_up(const struct matrix_entry *entry, void *arg)
{
    struct totals *t = arg;

    t->total += entry->total;
    t->nr++;
}

static void totals_are_exact_and_size_is_that_of_the_pairs(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    struct totals t = { 0 };
    uint64_t seed = 9, added = 0;
    unsigned int i;

    (void)state;
    /* 1,000 domains, of whose million pairs only 3,000 communicate. */
    for (i = 0; i < 200000; i++) {
        uint64_t pair = harness_random_below(&seed, 3000);
        uint64_t amount = harness_random_below(&seed, 5);

        add(m, SEND, 2 + pair % 1000, 2 + (pair * 7 + 1) % 1000, amount,
            i * 1000000ULL);
        added += amount;
    }
    matrix_visit(m, i * 1000000ULL, sum_up, &t);
    assert_int_equal(t.total, added);
    assert_int_equal(t.nr, matrix_size(m));
    assert_true(matrix_size(m) <= 3000);
    matrix_free(m);
}

/* A vCPU that keeps its pCPU is reported in parts that name no next domain. */
static void time_in_parts_is_the_same_as_in_one(void **state)
{
    struct matrix *parts = matrix_new(HALF_LIFE);
    struct matrix *one = matrix_new(HALF_LIFE);
    unsigned int tick;

    (void)state;
    for (tick = 1; tick < 100; tick++)
        add(parts, XEN_SCHEDLOG_EV_SERVICE_NS, 2, XEN_SCHEDLOG_ACCT_NONE,
            SECOND / 100, tick * (SECOND / 100));
    add(parts, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, SECOND / 100, SECOND);
    add(one, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, SECOND, SECOND);
    assert_int_equal(matrix_size(parts), 1);
    assert_float_equal(matrix_service(parts, 2, SECOND),
                       matrix_service(one, 2, SECOND), 1e-6);
    matrix_free(parts);
    matrix_free(one);
}

static void an_access_without_another_end_is_no_pair(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);

    (void)state;
    add(m, XEN_SCHEDLOG_EV_MARK, 2, XEN_SCHEDLOG_ACCT_NONE, 77, 0);
    add(m, SEND, 2, XEN_SCHEDLOG_ACCT_NONE, 1, 0);
    assert_int_equal(matrix_size(m), 0);
    matrix_free(m);
}

static void rows_within_an_accounting_domain_are_no_pair(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);

    (void)state;
    add(m, SEND, 3, 3, 1, 0);
    assert_int_equal(matrix_size(m), 0);
    add(m, XEN_SCHEDLOG_EV_SERVICE_NS, 3, 3, 100, 0);
    assert_int_equal(matrix_size(m), 1);
    matrix_free(m);
}

/* Other events repeat the same facts, or have counters that are no amounts. */
static void only_events_of_the_model_are_in_it(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    unsigned int event, taken = 0;

    (void)state;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++) {
        bool takes = matrix_takes(m, 1U << event);

        add(m, event, 2, 3, 1, 0);
        taken += takes;
        assert_int_equal(matrix_size(m), taken);
    }
    assert_int_equal(taken, 9);
    assert_true(matrix_takes(m, 1U << XEN_SCHEDLOG_EV_RING_PAGES |
                                1U << XEN_SCHEDLOG_EV_RUNQ));
    assert_false(matrix_takes(m, 1U << XEN_SCHEDLOG_EV_RING_SECTORS));
    matrix_free(m);
}

static void with_a_threshold_a_row_counts_for_all_it_stands_for(void **state)
{
    struct matrix *all = matrix_new(HALF_LIFE), *third = matrix_new(HALF_LIFE);
    unsigned int i;

    (void)state;
    matrix_set_threshold(third, SEND, 3);
    matrix_set_threshold(third, XEN_SCHEDLOG_EV_SERVICE_NS, 3);
    for (i = 0; i < 3; i++) {
        add(all, SEND, 2, 3, 10, SECOND);
        add(all, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, 1000000, SECOND);
        add(all, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 5, SECOND);
        add(third, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 5, SECOND);
    }
    add(third, SEND, 2, 3, 10, SECOND);
    add(third, XEN_SCHEDLOG_EV_SERVICE_NS, 2, 3, 1000000, SECOND);
    near(matrix_rate(third, SEND, 2, 3, 2 * SECOND),
         matrix_rate(all, SEND, 2, 3, 2 * SECOND));
    near(matrix_service(third, 2, 2 * SECOND),
         matrix_service(all, 2, 2 * SECOND));
    near(matrix_rate(third, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 2 * SECOND),
         matrix_rate(all, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 2 * SECOND));
    matrix_free(third);
    matrix_free(all);
}

static void a_threshold_of_one_domain_is_for_its_rows_alone(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);
    double one;

    (void)state;
    add(m, SEND, 4, 3, 10, SECOND);
    one = matrix_rate(m, SEND, 4, 3, SECOND);
    matrix_set_threshold(m, SEND, 2);
    matrix_set_threshold_of(m, SEND, 2, 8);
    matrix_set_threshold_of(m, SEND, 0xffff, 5);
    matrix_set_threshold_of(m, 1000, 2, 5);
    add(m, SEND, 2, 3, 10, SECOND);
    add(m, SEND, 3, 2, 10, SECOND);
    add(m, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, 10, SECOND);
    near(matrix_rate(m, SEND, 2, 3, SECOND), 8 * one);
    near(matrix_rate(m, SEND, 3, 2, SECOND), 2 * one);
    near(matrix_rate(m, XEN_SCHEDLOG_EV_GRANT_MAP, 2, 3, SECOND), one);
    matrix_set_threshold_of(m, SEND, 2, 0);
    add(m, SEND, 2, 5, 10, SECOND);
    near(matrix_rate(m, SEND, 2, 5, SECOND), 2 * one);
    /* The next domain with the number starts at zero. */
    matrix_set_threshold_of(m, SEND, 2, 8);
    matrix_forget(m, 2);
    add(m, SEND, 2, 6, 10, SECOND);
    near(matrix_rate(m, SEND, 2, 6, SECOND), 2 * one);
    matrix_free(m);
}

static void a_number_that_was_given_up_is_forgotten(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);

    (void)state;
    add(m, SEND, 2, 3, 10, 0);
    add(m, SEND, 3, 2, 10, 0);
    add(m, SEND, 2, 4, 10, 0);
    add(m, XEN_SCHEDLOG_EV_SERVICE_NS, 3, 2, 10, 0);
    matrix_forget(m, 3);
    assert_int_equal(matrix_size(m), 1);
    near(matrix_rate(m, SEND, 2, 3, 0), 0);
    assert_true(matrix_rate(m, SEND, 2, 4, 0) > 0);
    matrix_free(m);
}

static void a_pair_that_is_idle_for_long_is_forgotten(void **state)
{
    struct matrix *m = matrix_new(HALF_LIFE);

    (void)state;
    add(m, SEND, 2, 3, 10, 10 * SECOND);
    add(m, SEND, 2, 4, 10, 50 * SECOND);
    matrix_expire(m, 60 * SECOND, 60 * SECOND);
    assert_int_equal(matrix_size(m), 2);
    matrix_expire(m, 60 * SECOND, 80 * SECOND);
    assert_int_equal(matrix_size(m), 1);
    matrix_free(m);
}

static bool is_odd(const struct cell *cell, void *arg)
{
    (void)arg;

    return cell->key & 1;
}

static void the_table_finds_what_is_in_it_and_nothing_else(void **state)
{
    struct cells cells;
    struct cell *cell;
    uint64_t key;
    size_t i = 0, seen = 0;

    (void)state;
    cells_init(&cells);
    for (key = 0; key < 50000; key++)
        cells_get(&cells, key * 4097)->total = key;
    for (key = 0; key < 50000; key++) {
        cell = cells_find(&cells, key * 4097);
        assert_non_null(cell);
        assert_int_equal(cell->total, key);
        assert_null(cells_find(&cells, key * 4097 + 1));
    }
    cells_remove(&cells, is_odd, NULL);
    assert_int_equal(cells.used, 25000);
    while ((cell = cells_next(&cells, &i)))
        seen += !(cell->key & 1);
    assert_int_equal(seen, 25000);
    assert_non_null(cells_find(&cells, 4 * 4097));
    assert_null(cells_find(&cells, 5 * 4097));
    cells_free(&cells);
}

/*
 * Many pairs, so that sums collide, and padding that is not 0.  The result must be that of adding
 * the rows one by one.
 */
static void a_batch_is_the_sum_of_its_rows(void **state)
{
    enum { NR = 4096 };
    static uint16_t bytes[NR][8];
    const uint32_t lcr = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                         XEN_SCHEDLOG_LCR_CORRESPONDENT |
                         XEN_SCHEDLOG_LCR_COUNTER;
    struct xensched_batch batch = { .rows = bytes, .length = sizeof(bytes) };
    struct matrix *one_by_one = matrix_new(HALF_LIFE);
    struct matrix *m = matrix_new(HALF_LIFE);
    unsigned int i;

    (void)state;
    xensched_layout(lcr, &batch.layout);
    assert_int_equal(batch.layout.size, sizeof(bytes[0]));
    for (i = 0; i < NR; i++) {
        struct xensched_row row;

        bytes[i][0] = i % 7 ? SEND : XEN_SCHEDLOG_EV_RING_PAGES;
        bytes[i][1] = 2 + random() % 9;
        bytes[i][2] = 2 + random() % 9;
        bytes[i][3] = 0xdead;
        bytes[i][4] = random();
        bytes[i][5] = random();
        xensched_batch_row(&batch, i, &row);
        matrix_add(one_by_one, &row, 5 * SECOND);
    }
    matrix_add_batch(m, &batch, 5 * SECOND);
    assert_int_equal(matrix_size(m), matrix_size(one_by_one));
    for (i = 0; i < 2 * 81; i++) {
        unsigned int event = i % 2 ? SEND : XEN_SCHEDLOG_EV_RING_PAGES;

        near(matrix_rate(m, event, 2 + i / 2 % 9, 2 + i / 18, 5 * SECOND),
             matrix_rate(one_by_one, event, 2 + i / 2 % 9, 2 + i / 18,
                         5 * SECOND));
    }
    matrix_free(m);
    matrix_free(one_by_one);
}

/* Rows without a correspondent and a counter are added one by one. */
static void a_batch_with_short_rows_is_left_out(void **state)
{
    uint16_t bytes[][2] = {
        { XEN_SCHEDLOG_EV_SERVICE_NS, 2 }, { XEN_SCHEDLOG_EV_SERVICE_NS, 3 },
        { XEN_SCHEDLOG_EV_SERVICE_NS, 2 },
    };
    struct xensched_batch batch = { .rows = bytes, .length = sizeof(bytes) };
    struct matrix *m = matrix_new(HALF_LIFE);

    (void)state;
    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT,
                    &batch.layout);
    matrix_add_batch(m, &batch, SECOND);
    near(matrix_service(m, 2, SECOND), 2 * matrix_service(m, 3, SECOND));
    matrix_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_the_sum_of_its_rows),
        cmocka_unit_test(a_batch_with_short_rows_is_left_out),
        cmocka_unit_test(an_amount_counts_a_half_after_the_half_life),
        cmocka_unit_test(a_steady_rate_is_what_comes_out),
        cmocka_unit_test(looking_does_not_change_a_rate),
        cmocka_unit_test(a_clock_which_stands_still_or_goes_back_does_no_harm),
        cmocka_unit_test(directions_and_events_are_apart),
        cmocka_unit_test(service_time_is_a_share_of_a_pcpu),
        cmocka_unit_test(rows_without_a_domain_are_left_out),
        cmocka_unit_test(totals_are_exact_and_size_is_that_of_the_pairs),
        cmocka_unit_test(time_in_parts_is_the_same_as_in_one),
        cmocka_unit_test(an_access_without_another_end_is_no_pair),
        cmocka_unit_test(rows_within_an_accounting_domain_are_no_pair),
        cmocka_unit_test(only_events_of_the_model_are_in_it),
        cmocka_unit_test(with_a_threshold_a_row_counts_for_all_it_stands_for),
        cmocka_unit_test(a_threshold_of_one_domain_is_for_its_rows_alone),
        cmocka_unit_test(a_number_that_was_given_up_is_forgotten),
        cmocka_unit_test(a_pair_that_is_idle_for_long_is_forgotten),
        cmocka_unit_test(the_table_finds_what_is_in_it_and_nothing_else),
    };

    return run_tap_tests(tests);
}
