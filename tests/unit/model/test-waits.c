/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks waits by waiter, other domain and cause: sums, seconds, and how long they are kept. */
#include <string.h>

#include "cmocka-tap.h"

#include "model/waits/waits.h"
#include "xensched/abi.h"

#define S  1000000000ULL
#define MS 1000000ULL

#define WEB 2
#define DB 3
#define MAIL 4

#define BEGIN (1000 * S)

static struct matrix *matrix;
static struct waits *waits;
static struct waits_report report;
static uint64_t now;

struct row {
    uint8_t event, reason;
    uint16_t current, correspondent, pad;
    uint32_t counter, time;
};

static int set_up_with(size_t bytes)
{
    matrix = matrix_new(S);
    waits = waits_new(matrix, bytes);
    now = BEGIN;
    waits_pass(waits, now);
    waits_name(waits, WEB, 7, "web1");
    waits_name(waits, DB, 8, "db1");
    waits_name(waits, MAIL, -1, "mail");

    return 0;
}

static int set_up(void **state)
{
    (void)state;

    return set_up_with(1 << 20);
}

static int tear_down(void **state)
{
    (void)state;
    waits_report_free(&report);
    waits_free(waits);
    matrix_free(matrix);

    return 0;
}

static void rows_of(uint32_t lcr, const struct row *row, unsigned int nr)
{
    struct xensched_batch batch = {
        .rows = row,
        .length = nr * sizeof(*row),
    };

    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                    XEN_SCHEDLOG_LCR_TIME_TSC | lcr, &batch.layout);
    waits_add_batch(waits, &batch, now);
}

/* Adds a row as an older Xen writes it, without a reason. */
static void row(unsigned int event, uint16_t acct, uint16_t culprit, uint32_t ns)
{
    const struct row r = { event, 0, acct, culprit, 0, ns, 0 };

    rows_of(0, &r, 1);
}

static void woken(uint16_t acct, uint16_t culprit, uint32_t ns)
{
    row(XEN_SCHEDLOG_EV_WAKE_DELAY, acct, culprit, ns);
}

static void preempted(uint16_t acct, uint16_t culprit, uint32_t ns)
{
    row(XEN_SCHEDLOG_EV_PREEMPT_DELAY, acct, culprit, ns);
}

static void part(uint16_t acct, uint16_t culprit, uint32_t ns)
{
    row(XEN_SCHEDLOG_EV_WAIT_PART, acct, culprit, ns);
}

static void pass(uint64_t ns)
{
    now += ns;
    waits_pass(waits, now);
}

static void ask(uint64_t first_s, uint64_t seconds)
{
    waits_report_free(&report);
    waits_ask(waits, first_s, seconds, &report);
}

static const struct waits_of *of(uint16_t acct)
{
    const struct waits_of *found = waits_find(waits, &report, acct);

    assert_non_null(found);

    return found;
}

static uint64_t for_whom(const struct waits_of *of, const char *name)
{
    unsigned int i;

    for (i = 0; i < of->nr_culprits; i++)
        if (!strcmp(of->culprit[i].domain.name, name))
            return of->culprit[i].all.ns;

    return 0;
}

static uint64_t for_whom_by(const struct waits_of *of, const char *name,
                            enum waits_cause cause)
{
    unsigned int i;

    for (i = 0; i < of->nr_culprits; i++)
        if (!strcmp(of->culprit[i].domain.name, name))
            return of->culprit[i].by[cause].ns;

    return 0;
}

/* Adds a wait for one culprit, with its reason. */
static void because(unsigned int event, uint32_t ns, unsigned int reason)
{
    const struct row r = { event, reason, WEB, DB, 0, ns, 0 };

    rows_of(XEN_SCHEDLOG_LCR_REASON, &r, 1);
}

/* Times are kept in units of 64 ns, those for one other domain in units of 1024 ns. */
#define assert_ns(is, wanted) assert_in_range(is, (wanted) - 64, wanted)
#define assert_for(is, wanted) assert_in_range(is, (wanted) - 512, (wanted) + 512)

static void both_kinds_of_waits_add_up(void **state)
{
    (void)state;
    woken(WEB, DB, 5 * MS);
    preempted(WEB, DB, 20 * MS);
    preempted(WEB, XEN_SCHEDLOG_ACCT_XEN, 1 * MS);
    pass(S);
    ask(1000, 1);
    assert_int_equal(report.seconds, 1);
    assert_int_equal(report.nr, 1);
    assert_string_equal(of(WEB)->domain.name, "web1");
    assert_int_equal(of(WEB)->domain.domid, 7);
    assert_ns(of(WEB)->ns, 26 * MS);
    assert_for(for_whom(of(WEB), "db1"), 25 * MS);
    assert_for(for_whom(of(WEB), "(xen)"), 1 * MS);
    assert_in_range(of(WEB)->unknown_ns, 0, 1024);
    assert_int_equal(of(WEB)->wakes, 1);
}

static void parts_are_those_of_a_wait(void **state)
{
    (void)state;
    preempted(WEB, XEN_SCHEDLOG_ACCT_NONE, 10 * MS);
    part(WEB, DB, 6 * MS);
    part(WEB, MAIL, 3 * MS);
    pass(S);
    ask(1000, 1);
    assert_ns(of(WEB)->ns, 10 * MS);
    assert_for(for_whom(of(WEB), "db1"), 6 * MS);
    assert_for(for_whom(of(WEB), "mail"), 3 * MS);
    assert_in_range(of(WEB)->unknown_ns, 1 * MS - 1024, 1 * MS + 1024);
    assert_string_equal(of(WEB)->culprit[0].domain.name, "db1");
}

static void a_row_stands_for_as_many_waits_as_its_threshold_says(void **state)
{
    (void)state;
    matrix_set_threshold_of(matrix, XEN_SCHEDLOG_EV_PREEMPT_DELAY, WEB, 8);
    preempted(WEB, XEN_SCHEDLOG_ACCT_NONE, 2 * MS);
    part(WEB, DB, 1 * MS);
    part(WEB, MAIL, 1 * MS);
    pass(S);
    ask(1000, 1);
    assert_ns(of(WEB)->ns, 16 * MS);
    assert_for(for_whom(of(WEB), "db1"), 8 * MS);
    assert_int_equal(of(WEB)->culprit[0].all.nr, 8);
}

/* Xen counts waits that have not ended, and which have no row. */
static void a_wait_that_goes_on_is_counted(void **state)
{
    (void)state;
    woken(WEB, DB, 5 * MS);
    waits_count(waits, WEB, 6 * MS, 0, now);
    waits_count(waits, MAIL, S, 0, now);
    waits_count(waits, XEN_SCHEDLOG_ACCT_REST, S, 0, now);
    pass(S);
    waits_count(waits, MAIL, S, 0, now);
    pass(S);
    ask(1000, 2);
    assert_int_equal(report.nr, 2);
    assert_string_equal(report.of[0].domain.name, "mail");
    assert_in_range(report.of[0].counted_ns, 2 * S - 128, 2 * S);
    assert_int_equal(report.of[0].ns, 0);
    assert_ns(of(WEB)->counted_ns, 6 * MS);
    assert_ns(of(WEB)->ns, 5 * MS);
    assert_int_equal(of(WEB)->nr_culprits, 1);
    assert_for(for_whom(of(WEB), "db1"), 5 * MS);
}

/* For example, time after a cap is used up is no wait. */
static void what_xen_did_not_let_run_is_no_wait(void **state)
{
    (void)state;
    woken(WEB, DB, 5 * MS);
    waits_count(waits, WEB, 5 * MS, 700 * MS, now);
    waits_count(waits, MAIL, 0, 300 * MS, now);
    pass(S);
    ask(1000, 1);
    assert_ns(of(WEB)->ns, 5 * MS);
    assert_ns(of(WEB)->offline_ns, 700 * MS);
    assert_ns(of(MAIL)->offline_ns, 300 * MS);
    assert_int_equal(of(MAIL)->ns + of(MAIL)->counted_ns, 0);
    pass(S);
    ask(1001, 1);
    assert_int_equal(report.nr, 0);
}

static void causes_are_told_apart(void **state)
{
    (void)state;
    woken(WEB, DB, 5 * MS);
    preempted(WEB, DB, 20 * MS);
    preempted(WEB, XEN_SCHEDLOG_ACCT_NONE, 4 * MS);
    part(WEB, MAIL, 3 * MS);
    pass(S);
    ask(1000, 1);
    assert_ns(of(WEB)->ns, 29 * MS);
    assert_ns(of(WEB)->preempted_ns, 24 * MS);
    assert_int_equal(of(WEB)->nr_culprits, 2);
    assert_ns(of(WEB)->by[WAITS_WOKEN].ns, 5 * MS);
    assert_ns(of(WEB)->by[WAITS_PREEMPTED].ns, 24 * MS);
    assert_for(for_whom_by(of(WEB), "db1", WAITS_WOKEN), 5 * MS);
    assert_for(for_whom_by(of(WEB), "db1", WAITS_PREEMPTED), 20 * MS);
    assert_for(for_whom_by(of(WEB), "mail", WAITS_PREEMPTED), 3 * MS);
    assert_int_equal(for_whom_by(of(WEB), "mail", WAITS_WOKEN), 0);
}

#define LEFT(x) XEN_SCHEDLOG_LEFT_##x
#define SLEPT(x) (XEN_SCHEDLOG_REASON_SLEPT | XEN_SCHEDLOG_WOKE_##x)

/* Each cause has a time that no other one has. */
static void a_reason_is_the_cause_of_a_wait(void **state)
{
    static const struct {
        unsigned int event, reason;
        enum waits_cause cause;
    } causes[] = {
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(OTHER), WAITS_WOKEN },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(EVTCHN), WAITS_EVENT_CHANNEL },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(IPI), WAITS_IPI },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(TIMER), WAITS_TIMER },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(VIRQ), WAITS_VIRQ },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(PIRQ), WAITS_PIRQ },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(EVTCHN) | XEN_SCHEDLOG_REASON_POLLED,
          WAITS_POLLING },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(EVTCHN) | XEN_SCHEDLOG_REASON_PAUSED,
          WAITS_PAUSED },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, LEFT(PAUSED), WAITS_PAUSED },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, LEFT(CAPPED), WAITS_CAPPED },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(TIMER) | XEN_SCHEDLOG_REASON_CAPPED,
          WAITS_CAPPED },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, LEFT(IN_XEN), WAITS_IN_XEN },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, LEFT(MIGRATED), WAITS_MIGRATED },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, LEFT(PREEMPTED), WAITS_MIGRATED },
        { XEN_SCHEDLOG_EV_PREEMPT_DELAY, LEFT(PREEMPTED), WAITS_PREEMPTED },
        { XEN_SCHEDLOG_EV_PREEMPT_DELAY, LEFT(YIELDED), WAITS_YIELDED },
        { XEN_SCHEDLOG_EV_PREEMPT_DELAY, LEFT(SPINNING), WAITS_SPINNING },
        { XEN_SCHEDLOG_EV_PREEMPT_DELAY, LEFT(PREEMPTED) | XEN_SCHEDLOG_REASON_CAPPED,
          WAITS_BUDGET },
        { XEN_SCHEDLOG_EV_PREEMPT_DELAY, LEFT(CAPPED), WAITS_BUDGET },
        /* A newer Xen's reasons. */
        { XEN_SCHEDLOG_EV_WAKE_DELAY, XEN_SCHEDLOG_REASON_SLEPT | 7, WAITS_WOKEN },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, 15, WAITS_WOKEN },
        { XEN_SCHEDLOG_EV_PREEMPT_DELAY, 15, WAITS_PREEMPTED },
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        because(causes[i].event, (i + 1) * MS, causes[i].reason);
        pass(S);
        ask(1000 + i, 1);
        assert_ns(of(WEB)->by[causes[i].cause].ns, (i + 1) * MS);
        assert_for(for_whom_by(of(WEB), "db1", causes[i].cause), (i + 1) * MS);
        assert_ns(of(WEB)->preempted_ns,
                  causes[i].event == XEN_SCHEDLOG_EV_PREEMPT_DELAY ? (i + 1) * MS : 64);
        assert_int_equal(of(WEB)->wakes, causes[i].event == XEN_SCHEDLOG_EV_WAKE_DELAY);
        assert_non_null(waits_cause_name(causes[i].cause));
    }
}

static void parts_have_the_cause_of_their_wait(void **state)
{
    const struct row r[] = {
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(EVTCHN) | XEN_SCHEDLOG_REASON_POLLED, WEB,
          XEN_SCHEDLOG_ACCT_NONE, 0, 6 * MS, 0 },
        { XEN_SCHEDLOG_EV_WAIT_PART, 0, WEB, DB, 0, 4 * MS, 0 },
        { XEN_SCHEDLOG_EV_WAIT_PART, 0, WEB, MAIL, 0, 2 * MS, 0 },
        { XEN_SCHEDLOG_EV_WAKE_DELAY, SLEPT(OTHER), WEB, DB, 0, 1 * MS, 0 },
    };

    (void)state;
    rows_of(XEN_SCHEDLOG_LCR_REASON, r, sizeof(r) / sizeof(r[0]));
    pass(S);
    ask(1000, 1);
    assert_ns(of(WEB)->ns, 7 * MS);
    assert_in_range(of(WEB)->by[WAITS_POLLING].ns, 6 * MS - 64, 6 * MS);
    assert_in_range(of(WEB)->by[WAITS_WOKEN].ns, 1 * MS - 64, 1 * MS + 64);
    assert_for(for_whom_by(of(WEB), "db1", WAITS_POLLING), 4 * MS);
    assert_for(for_whom_by(of(WEB), "mail", WAITS_POLLING), 2 * MS);
    assert_for(for_whom_by(of(WEB), "db1", WAITS_WOKEN), 1 * MS);
    assert_int_equal(of(WEB)->nr_culprits, 2);
}

/* The time counts as waited, but not as a delay from a wake-up to a run. */
static void a_wait_without_a_run_counts(void **state)
{
    (void)state;
    because(XEN_SCHEDLOG_EV_WAKE_DELAY, 5 * MS, SLEPT(TIMER) | XEN_SCHEDLOG_REASON_CUT);
    because(XEN_SCHEDLOG_EV_WAKE_DELAY, 1 * MS, SLEPT(TIMER));
    pass(S);
    ask(1000, 1);
    assert_ns(of(WEB)->ns, 6 * MS);
    assert_for(for_whom_by(of(WEB), "db1", WAITS_TIMER), 6 * MS);
    assert_ns(of(WEB)->cut_ns, 5 * MS);
    assert_int_equal(of(WEB)->wakes, 1);
    assert_in_range(waits_quantile(of(WEB), 0.99), MS / 2, 2 * MS);
}

static void moves_are_counted(void **state)
{
    unsigned int i;

    (void)state;
    woken(WEB, DB, 5 * MS);
    for (i = 0; i < 3; i++)
        row(XEN_SCHEDLOG_EV_MIGRATE, WEB, XEN_SCHEDLOG_ACCT_NONE, i << 16 | (i + 1));
    matrix_set_threshold_of(matrix, XEN_SCHEDLOG_EV_MIGRATE, MAIL, 8);
    row(XEN_SCHEDLOG_EV_MIGRATE, MAIL, XEN_SCHEDLOG_ACCT_NONE, 1);
    pass(S);
    ask(1000, 1);
    assert_int_equal(of(WEB)->moves, 3);
    assert_ns(of(WEB)->ns, 5 * MS);
    assert_int_equal(of(WEB)->nr_culprits, 1);
    assert_int_equal(of(MAIL)->moves, 8);
    assert_int_equal(of(MAIL)->ns, 0);
    pass(S);
    ask(1001, 1);
    assert_int_equal(report.nr, 0);
}

static void seconds_are_told_apart(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 10; i++) {
        woken(WEB, DB, (i + 1) * MS);
        pass(S);
    }
    ask(1004, 1);
    assert_ns(of(WEB)->ns, 5 * MS);
    ask(1000, 100);
    assert_int_equal(report.seconds, 10);
    assert_in_range(of(WEB)->ns, 55 * MS - 640, 55 * MS);
    ask(900, 10);
    assert_int_equal(report.seconds, 0);
    assert_int_equal(report.nr, 0);
    assert_int_equal(waits_oldest(waits, now), 1000);
}

/* Known: no domain waited.  That differs from unknown waits. */
static void quiet_seconds_are_known(void **state)
{
    (void)state;
    woken(WEB, DB, 1 * MS);
    pass(30 * S);
    ask(1005, 20);
    assert_int_equal(report.seconds, 20);
    assert_int_equal(report.nr, 0);
}

static void an_hour_is_kept(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 4000; i++) {
        woken(WEB, DB, 1 * MS);
        pass(S);
    }
    assert_int_equal(waits_oldest(waits, now), 1400);
    ask(1400, 3600);
    assert_int_equal(report.seconds, 3600);
    assert_in_range(of(WEB)->ns, 3600 * (MS - 64), 3600 * MS);
    ask(1399, 1);
    assert_int_equal(report.seconds, 0);
}

static void what_does_not_fit_is_the_oldest(void **state)
{
    unsigned int i, k;

    (void)state;
    tear_down(NULL);
    set_up_with(1 << 14);
    for (i = 0; i < 100; i++) {
        for (k = 0; k < 50; k++)
            woken(10 + k, DB, (i + 1) * MS);
        pass(S);
    }
    /* 50 domains a second, 24 bytes each. */
    assert_in_range(now / S - waits_oldest(waits, now), 12, 14);
    ask(now / S - 1, 1);
    assert_int_equal(report.nr, 50);
    assert_ns(report.of[49].ns, 100 * MS);
    ask(now / S - 30, 1);
    assert_int_equal(report.seconds, 0);
}

static void who_is_gone_keeps_its_name(void **state)
{
    (void)state;
    woken(WEB, DB, 4 * MS);
    woken(MAIL, WEB, 3 * MS);
    pass(S);
    waits_forget(waits, WEB);
    waits_name(waits, WEB, 9, "other");
    woken(WEB, DB, 1 * MS);
    pass(S);
    ask(1000, 2);
    assert_int_equal(report.nr, 3);
    assert_string_equal(report.of[0].domain.name, "web1");
    assert_ns(report.of[0].ns, 4 * MS);
    assert_string_equal(of(WEB)->domain.name, "other");
    assert_ns(of(WEB)->ns, 1 * MS);
    assert_for(for_whom(of(MAIL), "web1"), 3 * MS);
}

/* Numbers are reused for longer than identities last. */
static void names_last_for_ever(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 70000; i++) {
        waits_forget(waits, WEB);
        waits_name(waits, WEB, i % 30000, "one of many");
    }
    woken(WEB, DB, 1 * MS);
    pass(S);
    ask(1000, 1);
    assert_string_equal(of(WEB)->domain.name, "one of many");
    assert_for(for_whom(of(WEB), "db1"), 1 * MS);
}

static void quantiles_lie_within_a_power_of_two(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 1; i <= 1000; i++)
        woken(WEB, DB, i * 1000);
    preempted(WEB, DB, 500 * MS);
    pass(S);
    ask(1000, 1);
    assert_int_equal(of(WEB)->wakes, 1000);
    assert_in_range(waits_quantile(of(WEB), 0.5), 400000, 600000);
    assert_in_range(waits_quantile(of(WEB), 0.99), 900000, 1050000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(both_kinds_of_waits_add_up),
        TEST(parts_are_those_of_a_wait),
        TEST(a_row_stands_for_as_many_waits_as_its_threshold_says),
        TEST(a_wait_that_goes_on_is_counted),
        TEST(what_xen_did_not_let_run_is_no_wait),
        TEST(causes_are_told_apart),
        TEST(a_reason_is_the_cause_of_a_wait),
        TEST(parts_have_the_cause_of_their_wait),
        TEST(a_wait_without_a_run_counts),
        TEST(moves_are_counted),
        TEST(seconds_are_told_apart),
        TEST(quiet_seconds_are_known),
        TEST(an_hour_is_kept),
        TEST(what_does_not_fit_is_the_oldest),
        TEST(who_is_gone_keeps_its_name),
        TEST(names_last_for_ever),
        TEST(quantiles_lie_within_a_power_of_two),
    };

    return run_tap_tests(tests);
}
