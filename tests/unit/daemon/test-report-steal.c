/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the steal time that the daemon reports to guests: to which guests, in which classes, that
 * no other guest can read it or is named, and that nothing stays behind.
 */
#include <stdio.h>
#include <string.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "fake-xenstore.h"

#include "daemon/answer/report-steal.h"

const char state_path[] = "test-report-steal.state";
const char journal_path[] = "test-report-steal.journal";

/* DISK waits for SPIN, dom0, itself, an idle pCPU and several domains; one wait is unknown. */
#define WAITING "pair=preempt-delay/3/4/1/3000000,pair=preempt-delay/3/2/1/2000000," \
                "pair=preempt-delay/3/3/1/1000000,pair=wake-delay/3/1/1/500000," \
                "pair=wake-delay/3/65535/1/400000"

static struct xenstore *xs;
static struct report_steal steal;

static int setup_steal(void **state)
{
    struct xensched_error err;

    fake_xs_reset();
    fake_xs_put("", "/");
    fake_xs_put("disk", "/local/domain/1/name");
    fake_xs_put("spin", "/local/domain/2/name");
    assert_int_equal(xenstore_open(&xs, &err), 0);
    setup(state);
    choice_default(&settings.choice);

    return 0;
}

static int teardown_steal(void **state)
{
    report_steal_end(&steal, xs);
    xenstore_close(xs);

    return teardown(state);
}

static void begin(void)
{
    start(MODE_OBSERVE);
    core.logs.nr = 0; /* synthetic rows have one log buffer for all events */
}

static void go_on(unsigned int seconds)
{
    while (seconds--) {
        run(1, SILENCE "," WAITING);
        report_steal(&steal, &core, xs, now);
    }
}

static const char *told(uint32_t domid)
{
    return fake_xs_get("/local/domain/%u/schedlog/steal", domid);
}

static void only_a_guest_that_is_allowed_to_is_told(void **state)
{
    (void)state;
    domain(DISK)->wants_steal = true;
    begin();
    go_on(12);
    assert_non_null(told(DISK));
    assert_null(told(SPIN));
    assert_string_equal(fake_xs_permissions("/local/domain/1/schedlog/steal"), "n0r1");
    domain(DISK)->wants_steal = false;
    go_on(2);
    assert_null(told(DISK));
}

static void classes_are_what_the_waits_are(void **state)
{
    unsigned long long dom0, own, others, xen, unknown;
    struct waits_report report;
    const struct waits_of *of;
    uint64_t first_s;

    (void)state;
    domain(DISK)->wants_steal = true;
    begin();
    go_on(1);
    first_s = now / SECOND;
    go_on(10);
    assert_int_equal(sscanf(told(DISK), "dom0:%llu own:%llu others:%llu xen:%llu unknown:%llu",
                            &dom0, &own, &others, &xen, &unknown), 5);
    waits_ask(core.waits, first_s, now / SECOND - first_s, &report);
    assert_int_equal(report.seconds, 10);
    of = waits_find(core.waits, &report, 3);
    assert_int_equal(dom0 + own + others + xen + unknown, of->ns);
    assert_int_equal(unknown, of->unknown_ns);
    waits_report_free(&report);
    /* Each of the five is a sixth of 100 rows in a tenth of a second. */
    assert_in_range(others, 3 * own / 2, 6 * own);
    assert_in_range(dom0, own, 4 * own);
    assert_in_range(xen, own / 4, own);
}

/* Returns the sum of all classes, in ns. */
static uint64_t sum_of(const char *text)
{
    unsigned long long ns[5];

    assert_int_equal(sscanf(text, "dom0:%llu own:%llu others:%llu xen:%llu unknown:%llu",
                            &ns[0], &ns[1], &ns[2], &ns[3], &ns[4]), 5);

    return ns[0] + ns[1] + ns[2] + ns[3] + ns[4];
}

/* Guests without a number share the number of all other domains. */
static void a_guest_without_a_number_reads_nothing_of_the_rest(void **state)
{
    unsigned int i;

    (void)state;
    domain(DISK)->wants_steal = true;
    begin();
    for (i = 0; i < 12; i++) {
        run(1, SILENCE ",pair=preempt-delay/0/2/1/3000000");
        core.domains.domain[DISK].acct = XEN_SCHEDLOG_ACCT_REST;
        report_steal(&steal, &core, xs, now);
        assert_null(told(DISK));
    }
}

static void a_guest_reads_nothing_of_an_earlier_one_with_its_domid(void **state)
{
    uint64_t before;

    (void)state;
    domain(DISK)->wants_steal = true;
    begin();
    go_on(12);
    before = sum_of(told(DISK));
    fake_xs_remove("/local/domain/1");
    fake_xs_put("new", "/local/domain/1/name");
    domain(DISK)->uuid++;
    go_on(6);
    assert_true(sum_of(told(DISK)) < before);
}

static void it_is_written_every_few_seconds(void **state)
{
    unsigned int writes;

    (void)state;
    domain(DISK)->wants_steal = true;
    begin();
    go_on(1);
    writes = fake_xs.writes;
    go_on(20);
    assert_in_range(fake_xs.writes - writes, 3, 4);
    writes = fake_xs.writes;
    for (unsigned int i = 0; i < 20; i++) {
        run(1, SILENCE);
        report_steal(&steal, &core, xs, now);
    }
    assert_in_range(fake_xs.writes - writes, 0, 1);
}

static void nothing_stays_of_a_guest_that_is_gone(void **state)
{
    (void)state;
    domain(DISK)->wants_steal = domain(SPIN)->wants_steal = true;
    begin();
    go_on(6);
    assert_non_null(told(DISK));
    fake_xs_remove("/local/domain/1");
    /* Xen still has the domain. */
    go_on(6);
    assert_null(told(DISK));
    assert_non_null(told(SPIN));
    report_steal_end(&steal, xs);
    assert_null(told(SPIN));
    assert_null(fake_xs_get("/local/domain/1"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_steal, teardown_steal)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_a_guest_that_is_allowed_to_is_told),
        TEST(classes_are_what_the_waits_are),
        TEST(a_guest_without_a_number_reads_nothing_of_the_rest),
        TEST(a_guest_reads_nothing_of_an_earlier_one_with_its_domid),
        TEST(it_is_written_every_few_seconds),
        TEST(nothing_stays_of_a_guest_that_is_gone),
    };

    return run_tap_tests(tests);
}
