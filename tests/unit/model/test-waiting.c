/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the mean time from a wake-up to a run: which rows it averages, and when it is unknown.
 */
#include "cmocka-tap.h"

#include "model/waits/waiting.h"
#include "xensched/abi.h"

#define S  1000000000ULL
#define MS 1000000ULL

#define WEB 2
#define DB  3

static struct waiting *waiting;
static uint64_t now;

static int set_up(void **state)
{
    (void)state;
    waiting = waiting_new(S);
    now = 1000 * S;

    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    waiting_free(waiting);

    return 0;
}

static void add(uint8_t event, uint8_t reason, uint16_t acct, uint32_t ns)
{
    const struct {
        uint8_t event, reason;
        uint16_t current, correspondent, pad;
        uint32_t counter, time;
    } row = { event, reason, acct, DB, 0, ns, 0 };
    struct xensched_batch batch = { .rows = &row, .length = sizeof(row) };

    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                    XEN_SCHEDLOG_LCR_TIME_TSC | XEN_SCHEDLOG_LCR_REASON, &batch.layout);
    waiting_add_batch(waiting, &batch, now);
}

static void it_is_the_mean_of_runs_after_wake_ups(void **state)
{
    (void)state;
    add(XEN_SCHEDLOG_EV_WAKE_DELAY, 0, WEB, 1 * MS);
    add(XEN_SCHEDLOG_EV_WAKE_DELAY, 0, WEB, 3 * MS);
    add(XEN_SCHEDLOG_EV_PREEMPT_DELAY, 0, WEB, 100 * MS);
    add(XEN_SCHEDLOG_EV_WAKE_DELAY, 0, DB, 100 * MS);
    assert_float_equal(waiting_delay_of(waiting, WEB, now), 0.002, 1e-6);
}

static void a_wait_without_a_run_does_not_count(void **state)
{
    (void)state;
    add(XEN_SCHEDLOG_EV_WAKE_DELAY, XEN_SCHEDLOG_REASON_CUT, WEB, 100 * MS);
    assert_true(waiting_delay_of(waiting, WEB, now) < 0);
    add(XEN_SCHEDLOG_EV_WAKE_DELAY, 0, WEB, 1 * MS);
    assert_float_equal(waiting_delay_of(waiting, WEB, now), 0.001, 1e-6);
}

static void another_domain_with_the_number_begins_without_a_mean(void **state)
{
    (void)state;
    add(XEN_SCHEDLOG_EV_WAKE_DELAY, 0, WEB, 1 * MS);
    waiting_forget(waiting, WEB);
    assert_true(waiting_delay_of(waiting, WEB, now) < 0);
}

#define waiting_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        waiting_test(it_is_the_mean_of_runs_after_wake_ups),
        waiting_test(a_wait_without_a_run_does_not_count),
        waiting_test(another_domain_with_the_number_begins_without_a_mean),
    };

    return run_tap_tests(tests);
}
