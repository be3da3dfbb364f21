/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budgets: rows report what was left of one, and deadlines that were missed.
 *
 * Domain A has a budget of 30 ms in a period of 100 ms.
 */
#include "pcpus.h"

#include "common/schedlog/budget.c"

#define BUDGET MILLISECS(30)
#define PERIOD MILLISECS(100)

static struct vcpu a, b;
static struct sched_unit a_unit;
static s_time_t begin; /* of the present period */

static void begin_periods(void)
{
    a = vcpu_of(A);
    b = vcpu_of(B);
    a.schedlog_replenished = 0;
    a_unit = (struct sched_unit){ { &a } };
    known_vcpu[0] = NULL;
    begin = now_ns;
}

static void wakes(struct vcpu *v)
{
    v->pause_flags = 0;
    wake(v);
}

static void sleeps(void)
{
    assert_ptr_equal(running[0], &a);
    a.pause_flags = VPF_blocked;
    switch_on(0, &idle[0], RUNSTATE_blocked);
}

/* Time goes on until @ms of the present period. */
static void at(unsigned int ms)
{
    now_ns = begin + MILLISECS(ms);
}

static void replenish(s_time_t left)
{
    at(100);
    schedlog_replenish(&a_unit, left, BUDGET, begin, begin + PERIOD);
    begin = now_ns;
}

/* A has used up the budget of a first period, and has the pCPU. */
static void begin_to_run(void)
{
    begin_periods();
    wakes(&a);
    run(0, &a);
    replenish(0);
}

/* Checks the last row. */
static void is_left(s_time_t left, bool missed)
{
    struct row r = row(0, nr_rows(0) - 1);

    assert_int_equal(r.event, XEN_SCHEDLOG_EV_REPLENISH);
    assert_int_equal(r.current, A);
    assert_int_equal(r.correspondent, NONE);
    assert_int_equal(r.counter & XEN_SCHEDLOG_REPLENISH_LEFT_MASK, left);
    assert_int_equal(!!(r.counter & XEN_SCHEDLOG_REPLENISH_MISSED), missed);
}

static void a_used_up_budget_misses_nothing(void **unused)
{
    (void)unused;
    begin_to_run();
    at(30);
    run(0, &b);
    replenish(0);
    is_left(0, false);
}

static void who_waits_for_a_pcpu_misses_a_deadline(void **unused)
{
    (void)unused;
    begin_to_run();
    run(0, &b);
    at(90);
    run(0, &a);
    replenish(MILLISECS(20));
    is_left(MILLISECS(20), true);

    /* It need not have a pCPU when the period ends. */
    run(0, &b);
    replenish(BUDGET);
    is_left(BUDGET, true);
}

static void who_wakes_too_late_misses_none(void **unused)
{
    (void)unused;
    begin_to_run();
    sleeps();
    at(71);
    wakes(&a);
    replenish(BUDGET);
    is_left(BUDGET, false);

    run(0, &a);
    sleeps();
    at(70);
    wakes(&a);
    replenish(BUDGET);
    is_left(BUDGET, true);
}

/* It slept twice, and was runnable for 40 ms in all. */
static void sleeps_are_added_up(void **unused)
{
    (void)unused;
    begin_to_run();
    at(10);
    sleeps();
    at(50);
    wakes(&a);
    at(60);
    run(0, &a);
    sleeps();
    at(80);
    wakes(&a);
    replenish(MILLISECS(20));
    is_left(MILLISECS(20), true);
}

static void who_has_gone_to_sleep_misses_none(void **unused)
{
    (void)unused;
    begin_to_run();
    at(90);
    sleeps();
    replenish(MILLISECS(5));
    is_left(MILLISECS(5), false);
}

/* It was runnable for long enough, but had nothing to do when the period ended. */
static void who_slept_through_the_end_misses_none(void **unused)
{
    (void)unused;
    begin_to_run();
    at(90);
    sleeps();
    at(130);
    wakes(&a);
    schedlog_replenish(&a_unit, MILLISECS(5), BUDGET, begin, begin + PERIOD);
    is_left(MILLISECS(5), false);
}

/* The event was off when the period began. */
static void without_a_first_row_nothing_is_known(void **unused)
{
    (void)unused;
    begin_periods();
    wakes(&a);
    replenish(BUDGET);
    is_left(BUDGET, false);

    replenish(BUDGET);
    is_left(BUDGET, true);

    now_ns += PERIOD;
    begin += PERIOD;
    replenish(BUDGET);
    is_left(BUDGET, false);
}

/* A period may end a little late, and a running vCPU has then used more than there was. */
static void what_is_left_is_within_limits(void **unused)
{
    (void)unused;
    begin_periods();
    wakes(&a);
    replenish(0);
    replenish(-1000);
    is_left(0, false);

    replenish(MILLISECS(5000));
    is_left(XEN_SCHEDLOG_REPLENISH_LEFT_MASK, true);
}

/* Its interrupt records nothing, but a period begins. */
static void an_interrupt_that_wakes_has_no_row(void **unused)
{
    (void)unused;
    begin_periods();
    wakes(&a);
    replenish(0);
    fake_in_irq = true;
    replenish(0);
    fake_in_irq = false;
    assert_int_equal(nr_rows(0), 1);

    replenish(BUDGET);
    is_left(BUDGET, true);
}

static void a_pcpu_without_memory_has_no_row(void **unused)
{
    struct schedlog_pcpu *pcpu = fake_schedlog_pcpu[0];

    (void)unused;
    begin_periods();
    fake_schedlog_pcpu[0] = NULL;
    replenish(0);
    fake_schedlog_pcpu[0] = pcpu;
    assert_int_equal(nr_rows(0), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_without_waits, tear_down)

static int set_up_without_waits(void **state_)
{
    set_up(state_);
    turn_on(0);
    this_pcpu = 0;

    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_used_up_budget_misses_nothing),
        TEST(who_waits_for_a_pcpu_misses_a_deadline),
        TEST(who_wakes_too_late_misses_none),
        TEST(sleeps_are_added_up),
        TEST(who_has_gone_to_sleep_misses_none),
        TEST(who_slept_through_the_end_misses_none),
        TEST(without_a_first_row_nothing_is_known),
        TEST(what_is_left_is_within_limits),
        TEST(an_interrupt_that_wakes_has_no_row),
        TEST(a_pcpu_without_memory_has_no_row),
    };

    return run_tap_tests(tests);
}
