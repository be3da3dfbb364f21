/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the governor: under any load, logging comes to cost less than its budget, at the expense
 * of the most frequent rows, and thresholds do not rise and fall with each wave of load.
 *
 * The host is synthetic: each pair of an event and an accounting domain has a rate, each row costs
 * the daemon some CPU time, and polling costs CPU time without any row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/types.h>

#include "cmocka-tap.h"
#include "harness.h"

#include "daemon/log/governor.h"

#define SECOND 1000000000ULL

#define NR_ACCT 64U
#define NR_PAIRS 8U

#define SEND XEN_SCHEDLOG_EV_EVTCHN_SEND
#define MAP  XEN_SCHEDLOG_EV_GRANT_MAP

/* pCPU time of the daemon per row */
#define ROW_NS 100.0

#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER)
#define BATCH    1000U

static uint32_t chosen[XEN_SCHEDLOG_NR_EVENTS];

static struct {
    struct governor g;
    uint64_t now_ns, cpu_ns;
    double fixed; /* pCPUs */
    struct {
        unsigned int event;
        uint16_t acct;
        double rate; /* events per second */
        int direction;
        unsigned int turns; /* from rising to falling, and back */
    } pairs[NR_PAIRS];
    unsigned int changes;   /* in the last second */
    double cost;            /* pCPUs in the last second */
} t;

static void setup_governor(double budget)
{
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        chosen[i] = 1;
    memset(&t, 0, sizeof(t));
    governor_init(&t.g, budget, chosen, NR_ACCT);
    t.now_ns = 5 * SECOND;
    t.cpu_ns = SECOND / 10;
}

static int teardown(void **state)
{
    (void)state;
    governor_free(&t.g);

    return 0;
}

static void add_pair(unsigned int i, unsigned int event, uint16_t acct,
                     double rate)
{
    t.pairs[i].event = event;
    t.pairs[i].acct = acct;
    t.pairs[i].rate = rate;
}

/* Counts rows of one pair. */
static void count(unsigned int event, uint16_t acct, size_t nr)
{
    static uint8_t rows[BATCH * 16];
    struct xensched_batch b = { .rows = rows };
    uint16_t ids[3] = { event, acct, 1 };
    size_t i;

    xensched_layout(LCR, &b.layout);
    for (i = 0; i < BATCH; i++)
        memcpy(rows + i * b.layout.size, ids, sizeof(ids));
    while (nr) {
        size_t part = nr < BATCH ? nr : BATCH;

        b.length = part * b.layout.size;
        governor_count(&t.g, &b, GOVERNOR_AS_THEY_SAY);
        nr -= part;
    }
}

static uint32_t threshold(unsigned int i)
{
    return governor_threshold(&t.g, t.pairs[i].event, t.pairs[i].acct);
}

static void follow(const struct governor_change *c)
{
    unsigned int i;

    for (i = 0; i < NR_PAIRS; i++) {
        int direction = c->to > c->from ? 1 : -1;

        if (t.pairs[i].event != c->event || t.pairs[i].acct != c->acct)
            continue;
        t.pairs[i].turns += t.pairs[i].direction == -direction;
        t.pairs[i].direction = direction;
    }
}

static void second(void)
{
    struct governor_change *changes;
    double rows = 0;
    unsigned int i;

    for (i = 0; i < NR_PAIRS; i++) {
        double nr = t.pairs[i].rate / threshold(i);

        count(t.pairs[i].event, t.pairs[i].acct, nr);
        rows += nr;
    }
    t.now_ns += SECOND;
    t.cpu_ns += t.fixed * SECOND + rows * ROW_NS;
    /* 24.6 cycles of 2.5 GHz for the producer. */
    t.cost = t.fixed + rows * (ROW_NS + 9.84) / 1e9;
    t.changes = governor_step(&t.g, t.cpu_ns, t.now_ns, &changes);
    for (i = 0; i < t.changes; i++)
        follow(&changes[i]);
    free(changes);
}

static void seconds(unsigned int nr)
{
    while (nr--)
        second();
}

static void without_a_budget_nothing_happens(void **state)
{
    (void)state;
    setup_governor(0);
    add_pair(0, SEND, 2, 1e6);
    seconds(20);
    assert_int_equal(threshold(0), 1);
    assert_int_equal(t.changes, 0);
}

static void within_the_budget_nothing_happens(void **state)
{
    unsigned int i;

    (void)state;
    setup_governor(0.01);
    t.fixed = 0.002;
    add_pair(0, SEND, 2, 60000);
    for (i = 0; i < 600; i++) {
        second();
        assert_int_equal(t.changes, 0);
    }
    assert_true(t.cost > 0.008 && t.cost < 0.01);
}

static void only_the_most_frequent_events_are_thinned_out(void **state)
{
    unsigned int i;

    (void)state;
    setup_governor(0.01);
    t.fixed = 0.001;
    add_pair(0, SEND, 2, 400000);
    add_pair(1, MAP, 2, 200000);
    add_pair(2, SEND, 3, 3000);
    add_pair(3, MAP, 3, 10);
    seconds(10);
    assert_true(t.cost < 0.01);
    assert_true(threshold(0) >= 8 && threshold(1) >= 4);
    assert_true(threshold(0) > threshold(1));
    assert_int_equal(threshold(2), 1);
    assert_int_equal(threshold(3), 1);
    /* The state lasts. */
    for (i = 0; i < 600; i++) {
        second();
        assert_true(t.cost < 0.01);
    }
    for (i = 0; i < NR_PAIRS; i++)
        assert_true(t.pairs[i].turns <= 1);
    assert_true(t.cost > 0.003);
}

static void a_chosen_threshold_is_the_least(void **state)
{
    (void)state;
    setup_governor(0.01);
    chosen[SEND] = 6;
    add_pair(0, SEND, 2, 4e6);
    seconds(10);
    assert_int_equal(threshold(0) % 6, 0);
    assert_true(threshold(0) > 6);
    t.pairs[0].rate = 10;
    seconds(100);
    assert_int_equal(threshold(0), 6);
}

static void when_the_load_falls_thresholds_come_down(void **state)
{
    unsigned int i;

    (void)state;
    setup_governor(0.01);
    add_pair(0, SEND, 2, 3e6);
    seconds(10);
    assert_true(t.cost < 0.01 && threshold(0) >= 32);
    t.pairs[0].rate = 20000;
    for (i = 0; i < 60; i++) {
        second();
        assert_true(t.cost < 0.01);
    }
    assert_int_equal(threshold(0), 1);
}

static void a_load_that_comes_and_goes_moves_less_and_less(void **state)
{
    unsigned int hour, i, before = 0, turns = 0;

    (void)state;
    setup_governor(0.01);
    for (hour = 0; hour < 2; hour++) {
        before = turns;
        for (i = 0; i < 3600; i++) {
            if (i % 20 == 0)
                add_pair(0, SEND, 2, i % 40 ? 1e6 : 1000);
            second();
        }
        turns = t.pairs[0].turns;
    }
    /* An hour has 90 waves, each of which could turn it twice. */
    assert_true(before < 40);
    assert_true(turns - before < 24);
}

static void a_budget_out_of_reach_is_noticed(void **state)
{
    unsigned int i;

    (void)state;
    setup_governor(0.01);
    t.fixed = 0.02;
    add_pair(0, SEND, 2, 100000);
    add_pair(1, MAP, 2, 10);
    seconds(20);
    assert_true(t.g.stuck);
    assert_int_equal(threshold(1), 1);
    assert_true(threshold(0) <= GOVERNOR_MAX_THRESHOLD);
    /* A known state, a higher rate or a single good second causes no news. */
    for (i = 0; i < 60; i++) {
        t.pairs[1].rate = 10 + i;
        t.fixed = i % 10 ? 0.02 : 0.001;
        second();
        assert_true(t.g.stuck);
    }
    t.fixed = 0.001;
    seconds(60);
    assert_false(t.g.stuck);
    t.pairs[0].rate = 1e12;
    for (i = 0; i < 50; i++)
        t.pairs[0].rate = 1e7, second();
    assert_true(threshold(0) <= GOVERNOR_MAX_THRESHOLD);
}

static void a_number_of_another_domain_has_the_chosen_threshold(void **state)
{
    (void)state;
    setup_governor(0.01);
    add_pair(0, SEND, 2, 1e6);
    add_pair(1, SEND, 3, 1e6);
    seconds(5);
    assert_true(threshold(0) > 1 && threshold(1) > 1);
    governor_forget(&t.g, 2);
    assert_int_equal(threshold(0), 1);
    assert_true(threshold(1) > 1);
    governor_forget_all(&t.g);
    assert_int_equal(threshold(1), 1);
}

/* A driver domain could name others in its rows. */
static void rows_count_for_their_writer_if_it_is_given(void **state)
{
    struct xensched_batch b = { 0 };
    uint8_t row[16] = { SEND, 0, 9, 0, 1, 0 };

    (void)state;
    setup_governor(0.01);
    xensched_layout(LCR, &b.layout);
    b.rows = row;
    b.length = b.layout.size;
    governor_count(&t.g, &b, 4);
    governor_count(&t.g, &b, GOVERNOR_AS_THEY_SAY);
    row[0] = row[1] = row[2] = row[3] = 0xff; /* no such event, no such acct */
    governor_count(&t.g, &b, 4);
    governor_count(&t.g, &b, GOVERNOR_AS_THEY_SAY);
    assert_true(t.g.pairs[SEND * NR_ACCT + 4].rows == 1);
    assert_true(t.g.pairs[SEND * NR_ACCT + 9].rows == 1);
}

/* The load jumps now and then. */
static void any_load_gets_below_the_budget_soon(void **state)
{
    unsigned int run, i, k, over, worst = 0, turns = 0;
    uint64_t seed = 3;

    (void)state;
    for (run = 0; run < 20; run++) {
        setup_governor(0.005 + harness_random(&seed) % 100 / 2000.0);
        t.fixed = t.g.budget * (harness_random(&seed) % 50) / 100;
        for (i = over = 0; i < 900; i++) {
            if (harness_random(&seed) % 60 == 0) {
                for (k = 0; k < NR_PAIRS; k++)
                    add_pair(k, k % 3, 2 + k, 1U << harness_random(&seed) % 22);
                over = 0;
            }
            second();
            /* The cost is smoothed, so a small excess is noticed late. */
            over = t.cost > 1.05 * t.g.budget ? over + 1 : 0;
            if (over > worst)
                worst = over;
        }
        for (k = 0; k < NR_PAIRS; k++)
            turns += t.pairs[k].turns;
        governor_free(&t.g);
    }
    print_message("# over the budget for at most %u s; %.1f turns per pair and "
                  "15 minutes, in which the load jumps 15 times\n", worst,
                  (double)turns / 20 / NR_PAIRS);
    assert_true(worst <= 4);
    assert_true((double)turns / 20 / NR_PAIRS < 6);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {
        TEST(without_a_budget_nothing_happens),
        TEST(within_the_budget_nothing_happens),
        TEST(only_the_most_frequent_events_are_thinned_out),
        TEST(a_chosen_threshold_is_the_least),
        TEST(when_the_load_falls_thresholds_come_down),
        TEST(a_load_that_comes_and_goes_moves_less_and_less),
        TEST(a_budget_out_of_reach_is_noticed),
        TEST(a_number_of_another_domain_has_the_chosen_threshold),
        TEST(rows_count_for_their_writer_if_it_is_given),
        TEST(any_load_gets_below_the_budget_soon),
    };

    return run_tap_tests(tests);
}
