/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks which wake-up a notification caused, and what shows that clocks are wrong.  A vCPU that
 * woke just before it was notified is no fault of the clocks, and some such cases are expected by
 * chance.  Wrong clocks are found all the same.
 */
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "timeline/wakes.h"

#define ACCT     2
#define SENDER   3
#define NR_ACCT  4
#define GRANULE  1000U
#define MOST     200000U
#define NR_VCPUS 2U

static struct span spans[NR_VCPUS][MOST];
static struct vcpu vcpu[NR_VCPUS];
static struct timeline_row row[MOST];
static unsigned int first[NR_ACCT + 1];
static struct stays stays;
static struct rows rows;
static struct vcpus vcpus;
static struct wakes wakes;

static uint64_t up_to(uint64_t ns)
{
    return (uint64_t)rand() % ns;
}

static int begin(void **state)
{
    static struct stays_cpu cpu;
    unsigned int i;

    (void)state;
    srand(1);
    for (i = 0; i < NR_VCPUS; i++)
        vcpu[i] = (struct vcpu){ .acct = ACCT, .number = i, .span = spans[i] };
    for (i = 0; i <= NR_ACCT; i++)
        first[i] = i > ACCT ? NR_VCPUS : 0;
    stays = (struct stays){ .cpu = &cpu, .nr = 1, .wakes = true };
    rows = (struct rows){
        .row = row, .granule_ns = GRANULE, .events = 1U << XEN_SCHEDLOG_EV_EVTCHN_RECV,
    };
    vcpus = (struct vcpus){ .vcpu = vcpu, .nr = NR_VCPUS, .first = first };

    return 0;
}

static int end(void **state)
{
    (void)state;
    wakes_free(&wakes);

    return 0;
}

static void span(unsigned int i, uint64_t ns, enum vcpu_state state)
{
    spans[i][vcpu[i].nr++] = (struct span){ ns, 0, state };
}

static void notify_at(uint64_t ns)
{
    row[rows.nr++] = (struct timeline_row){
        .ns = ns, .event = XEN_SCHEDLOG_EV_EVTCHN_RECV, .current = ACCT,
        .correspondent = SENDER,
    };
}

static void make(void)
{
    wakes_make(&wakes, &rows, &stays, &vcpus);
}

/* Lets @i sleep and run, for 100 us on average, without notifications, for 15 seconds. */
static void by_itself(unsigned int i)
{
    uint64_t ns = 0;

    while (ns < 15000000000) {
        span(i, ns, VCPU_BLOCKED);
        ns += 1 + up_to(200000);
        span(i, ns, VCPU_RUNNING);
        ns += 1 + up_to(200000);
    }
}

/* Lets @i sleep, wake up, wait for a pCPU, and run. */
static void sleeps_until(unsigned int i, uint64_t woken, uint64_t ran)
{
    span(i, 0, VCPU_BLOCKED);
    span(i, woken, VCPU_RUNNABLE);
    span(i, ran, VCPU_RUNNING);
}

static void a_later_row_is_its_own(void **state)
{
    (void)state;
    sleeps_until(0, 50000, 70000);
    notify_at(49000);
    make();
    assert_int_equal(wakes.nr, 1);
    assert_int_equal(wakes.wake[0].kind, WAKE_WOKEN);
    assert_int_equal(wakes.wake[0].woken, 50000);
    assert_int_equal(wakes.wake[0].ran, 70000);
    assert_int_equal(wakes.disordered, 0);
}

/*
 * Another vCPU of the domain woke just before the notification, so the notification woke this one.
 */
static void a_vcpu_that_woke_after_it_comes_first(void **state)
{
    (void)state;
    span(0, 0, VCPU_BLOCKED);
    span(0, 47500, VCPU_RUNNING);
    span(1, 0, VCPU_BLOCKED);
    span(1, 49700, VCPU_RUNNING);
    notify_at(49500);
    make();
    assert_int_equal(wakes.wake[0].to, 1);
    assert_int_equal(wakes.wake[0].woken, 49700);
    assert_int_equal(wakes.disordered, 0);
}

/* The vCPU was woken by the first notification, and has not run when the next one comes. */
static void one_wake_up_has_one_reason(void **state)
{
    (void)state;
    sleeps_until(0, 50000, 54500);
    notify_at(49900);
    notify_at(52800);
    make();
    assert_int_equal(wakes.wake[0].kind, WAKE_WOKEN);
    assert_int_equal(wakes.wake[1].kind, WAKE_WAITING);
    assert_int_equal(wakes.pairs, 1);
    assert_int_equal(wakes.disordered, 0);
}

static void chance_is_expected(void **state)
{
    uint64_t ns = 100000;

    (void)state;
    by_itself(0);
    by_itself(1);
    for (; ns < 14900000000; ns += 1 + up_to(1200000))
        notify_at(ns);
    make();
    assert_true(wakes.disordered > 200);
    assert_true(wakes.by_chance > wakes.disordered * 0.8);
    assert_true(wakes.by_chance < wakes.disordered * 1.2);
}

/* Each wake-up has its notification, which seems to come 2 us after it. */
static void wrong_clocks_are_no_chance(void **state)
{
    unsigned int i;

    (void)state;
    by_itself(0);
    for (i = 1; i < vcpu[0].nr; i += 2)
        notify_at(spans[0][i].begin + 2000);
    make();
    assert_true(wakes.disordered > rows.nr * 0.9);
    assert_true(wakes.by_chance < wakes.disordered * 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(a_later_row_is_its_own),
        TEST(a_vcpu_that_woke_after_it_comes_first),
        TEST(one_wake_up_has_one_reason),
        TEST(chance_is_expected),
        TEST(wrong_clocks_are_no_chance),
    };

    return run_tap_tests(tests);
}
