/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what a scheduler can do with routes, thresholds and log buffers alone: the aggregation
 * techniques of the thesis, and the largest possible area.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#include <cmocka.h>

#define LCR(entry) XEN_SCHEDLOG_LCR_##entry
#define ROW (LCR(EVENT) | LCR(CURRENT) | LCR(CORRESPONDENT) | LCR(COUNTER))

/* The row that ROW selects. */
struct row {
    uint16_t event;
    uint16_t current_;
    uint16_t correspondent;
    uint32_t counter;
    uint32_t pad;
};

static void route(struct harness *h, uint32_t acct, uint32_t event,
                  uint32_t file, uint32_t threshold)
{
    h->route[acct * XEN_SCHEDLOG_NR_EVENTS + event] =
        XEN_SCHEDLOG_ROUTE_VALID |
        (uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT | threshold;
}

static struct row row_at(const struct harness *h, uint32_t file, uint64_t nr)
{
    struct row row;

    memcpy(&row, h->data[file] + nr * sizeof(row) % h->size[file],
           sizeof(row));

    return row;
}

static uint64_t rows_of(const struct harness *h, uint32_t file)
{
    return h->state[file].pos / sizeof(struct row);
}

/*
 * Clustering: which events share a log buffer.  The same events run with each scheme; each log
 * buffer must have its own rows, in order.
 */
#define EVENTS_MADE 20000
#define NR_ACCT 32

typedef uint32_t scheme(uint32_t acct, uint32_t event);

static uint32_t global(uint32_t acct, uint32_t event)
{
    (void)acct, (void)event;
    return 0;
}

static uint32_t per_event(uint32_t acct, uint32_t event)
{
    (void)acct;
    return event;
}

static uint32_t per_domain(uint32_t acct, uint32_t event)
{
    (void)event;
    return acct;
}

/* Two groups of domains; service times of both in a log buffer of their own. */
static uint32_t grouped(uint32_t acct, uint32_t event)
{
    if (event == XEN_SCHEDLOG_EV_SERVICE_NS ||
        event == XEN_SCHEDLOG_EV_SERVICE_TSC)
        return 2;

    return acct < NR_ACCT / 2 ? 0 : 1;
}

static void check_clustering(scheme *file_of, uint32_t nr_files)
{
    struct harness *h = harness_new(NR_ACCT, nr_files, 1 << 19);
    uint64_t *nr = calloc(nr_files, sizeof(*nr));
    uint64_t seed = 1905;

    for (uint32_t i = 0; i < nr_files; i++)
        h->lcr[i] = ROW;
    for (uint32_t acct = 0; acct < NR_ACCT; acct++)
        for (uint32_t event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            route(h, acct, event, file_of(acct, event), 0);

    for (uint32_t i = 0; i < EVENTS_MADE; i++) {
        uint64_t r = harness_random(&seed);
        uint16_t acct = r % NR_ACCT, other = (acct + 1) % NR_ACCT;
        uint16_t event = (r >> 8) % XEN_SCHEDLOG_NR_EVENTS;
        uint32_t file = file_of(acct, event);
        struct row row;

        schedlog_record(h->cpu, event, acct, other, i);
        row = row_at(h, file, nr[file]++);
        assert_int_equal(row.event, event);
        assert_int_equal(row.current_, acct);
        assert_int_equal(row.correspondent, other);
        assert_int_equal(row.counter, i);
    }
    /* No log buffer has a row of another one. */
    for (uint32_t i = 0; i < nr_files; i++)
        assert_int_equal(rows_of(h, i), nr[i]);

    free(nr);
    harness_free(h);
}

static void one_log_file_for_all(void **test)
{
    (void)test;
    check_clustering(global, 1);
}

static void a_log_file_for_each_event(void **test)
{
    (void)test;
    check_clustering(per_event, XEN_SCHEDLOG_NR_EVENTS);
}

static void a_log_file_for_each_accounting_domain(void **test)
{
    (void)test;
    check_clustering(per_domain, NR_ACCT);
}

static void a_log_file_for_each_group(void **test)
{
    (void)test;
    check_clustering(grouped, 4);
}

/*
 * Sampling.  Events have a fixed pattern of PHASES, and the counter is an event's phase.  After
 * each row the scheduler may write another threshold.
 */
#define PHASES 8
#define MEAN 16
#define SAMPLED_EVENTS 400000

struct sample {
    uint64_t rows;
    uint64_t of_phase[PHASES];
};

/* @random: thresholds 1 ... 2 * MEAN - 1, equally often; else always MEAN. */
static struct sample take_sample(bool random)
{
    struct harness *h = harness_new(4, 1, 4096);
    struct sample s = {};
    uint64_t seed = 20050324;

    h->lcr[0] = ROW;
    route(h, 2, 0, 0, MEAN);
    for (uint32_t i = 0; i < SAMPLED_EVENTS; i++) {
        schedlog_record(h->cpu, 0, 2, 3, i % PHASES);
        if (rows_of(h, 0) == s.rows)
            continue;
        s.of_phase[row_at(h, 0, s.rows++).counter]++;
        if (random)
            route(h, 2, 0, 0, 1 + harness_random_below(&seed, 2 * MEAN - 1));
    }
    harness_free(h);

    return s;
}

static void a_fixed_threshold_can_fall_into_step_with_the_events(void **test)
{
    struct sample s = take_sample(false);
    int seen = 0;

    (void)test;
    assert_int_equal(s.rows, SAMPLED_EVENTS / MEAN);
    for (int i = 0; i < PHASES; i++)
        seen += s.of_phase[i] > 0;
    assert_int_equal(seen, 1);
}

/*
 * A threshold drawn from 1 ... 2 * MEAN - 1 deviates by MEAN / sqrt(3), so the estimate from 25000
 * rows deviates by 0.4 %; 2 % are five times that.  A phase has 3125 rows, give or take 52; 10 %
 * are six times that.
 */
static void random_thresholds_estimate_how_many_events_there_were(void **test)
{
    struct sample s = take_sample(true);

    (void)test;
    assert_in_range(s.rows * MEAN, SAMPLED_EVENTS * 98 / 100,
                    SAMPLED_EVENTS * 102 / 100);
    for (int i = 0; i < PHASES; i++)
        assert_in_range(s.of_phase[i] * MEAN * PHASES,
                        SAMPLED_EVENTS * 90 / 100,
                        SAMPLED_EVENTS * 110 / 100);
}

/* Geometry: all sizes at their maximum. */
static void each_domain_and_file_of_the_largest_area_is_reached(void **test)
{
    struct harness *h = harness_new(XEN_SCHEDLOG_MAX_ACCT,
                                    XEN_SCHEDLOG_MAX_FILES, 1024);
    const uint32_t each = XEN_SCHEDLOG_MAX_ACCT / XEN_SCHEDLOG_MAX_FILES;
    const uint32_t last = XEN_SCHEDLOG_NR_EVENTS - 1;

    (void)test;
    for (uint32_t i = 0; i < XEN_SCHEDLOG_MAX_FILES; i++)
        h->lcr[i] = ROW;
    for (uint32_t acct = 0; acct < XEN_SCHEDLOG_MAX_ACCT; acct++)
        route(h, acct, last, acct % XEN_SCHEDLOG_MAX_FILES, 0);

    for (uint32_t acct = 0; acct < XEN_SCHEDLOG_MAX_ACCT; acct++)
        schedlog_record(h->cpu, last, acct, XEN_SCHEDLOG_ACCT_NONE, acct);

    for (uint32_t i = 0; i < XEN_SCHEDLOG_MAX_FILES; i++) {
        assert_int_equal(rows_of(h, i), each);
        for (uint32_t j = 0; j < each; j++)
            assert_int_equal(row_at(h, i, j).current_,
                             i + j * XEN_SCHEDLOG_MAX_FILES);
    }
    harness_free(h);
}

static void numbers_beyond_the_largest_area_are_masked(void **test)
{
    struct harness *h = harness_new(XEN_SCHEDLOG_MAX_ACCT,
                                    XEN_SCHEDLOG_MAX_FILES, 1024);
    const uint32_t last_acct = XEN_SCHEDLOG_MAX_ACCT - 1;
    const uint32_t last_file = XEN_SCHEDLOG_MAX_FILES - 1;

    (void)test;
    h->lcr[last_file] = ROW;
    route(h, last_acct, 0, XEN_SCHEDLOG_ROUTE_FILE_MASK, 0);
    schedlog_record(h->cpu, 0, 0xffff, 3, 1);
    assert_int_equal(rows_of(h, last_file), 1);
    assert_int_equal(row_at(h, last_file, 0).current_, 0xffff);

    /* The last counters of thresholds do not share memory. */
    route(h, last_acct, 0, last_file, 2);
    route(h, last_acct, 1, last_file, 2);
    schedlog_record(h->cpu, 0, last_acct, 3, 1);
    schedlog_record(h->cpu, 1, last_acct, 3, 1);
    assert_int_equal(rows_of(h, last_file), 1);
    schedlog_record(h->cpu, 0, last_acct, 3, 1);
    assert_int_equal(rows_of(h, last_file), 2);
    harness_free(h);
}

static void the_smallest_area_works_as_well(void **test)
{
    struct harness *h = harness_new(2, 1, XEN_SCHEDLOG_MIN_FILE_SIZE);

    (void)test;
    h->lcr[0] = ROW;
    route(h, 0, 0, 0xffff, 0);
    for (uint32_t i = 0; i < 100; i++)
        schedlog_record(h->cpu, 0, 2 * i, 2 * i + 1, i);
    assert_int_equal(rows_of(h, 0), 100);
    assert_int_equal(row_at(h, 0, 99).counter, 99);
    harness_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_log_file_for_all),
        cmocka_unit_test(a_log_file_for_each_event),
        cmocka_unit_test(a_log_file_for_each_accounting_domain),
        cmocka_unit_test(a_log_file_for_each_group),
        cmocka_unit_test(a_fixed_threshold_can_fall_into_step_with_the_events),
        cmocka_unit_test(random_thresholds_estimate_how_many_events_there_were),
        cmocka_unit_test(each_domain_and_file_of_the_largest_area_is_reached),
        cmocka_unit_test(numbers_beyond_the_largest_area_are_masked),
        cmocka_unit_test(the_smallest_area_works_as_well),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
