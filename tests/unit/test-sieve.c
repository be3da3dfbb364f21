/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver domain is not believed.
 *
 * Each lie here would move somebody else's guest if it were: rows in another
 * one's name, about a domain that it doesn't serve, of events which only the
 * hypervisor sees, and numbers that are larger than anything real.
 */
#include "cmocka-tap.h"

#include "daemon/feeds/sieve.h"

#define OWN    5U
#define CLIENT 8U
#define OTHER  9U

static struct sieve sieve;

static int setup(void **state)
{
    (void)state;
    sieve = (struct sieve){ 0 };
    sieve_init(&sieve, OWN);
    sieve_add_client(&sieve, 7);
    sieve_add_client(&sieve, CLIENT);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sieve_clear(&sieve);

    return 0;
}

static bool passes(uint16_t event, uint16_t current, uint16_t correspondent,
                   uint64_t counter)
{
    int64_t most = sieve_most(&sieve, event, current, correspondent);

    return most >= 0 && counter <= (uint64_t)most;
}

static void its_own_work_for_its_clients_is_believed(void **state)
{
    (void)state;
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, 33));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, 0));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, SIEVE_MAX_PAGES));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_SECTORS, OWN, CLIENT, 1U << 31));
    assert_true(passes(XEN_SCHEDLOG_EV_GUEST_RUNQ, OWN,
                       XEN_SCHEDLOG_ACCT_NONE, 3));
}

static void rows_in_the_name_of_others_are_refused(void **state)
{
    (void)state;
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OTHER, CLIENT, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, CLIENT, OWN, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, XEN_SCHEDLOG_ACCT_REST,
                        CLIENT, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_GUEST_RUNQ, OTHER,
                        XEN_SCHEDLOG_ACCT_NONE, 1));
}

static void rows_about_whom_it_does_not_serve_are_refused(void **state)
{
    (void)state;
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, OTHER, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_SECTORS, OWN, OTHER, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN,
                        XEN_SCHEDLOG_ACCT_REST, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN,
                        XEN_SCHEDLOG_ACCT_NONE, 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, OWN, 1));
}

static void a_client_that_it_serves_no_more_is_no_client(void **state)
{
    (void)state;
    sieve_init(&sieve, OWN);
    sieve_add_client(&sieve, 7);
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, 1));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, 1));
}

static void events_which_are_not_a_linux_s_are_refused(void **state)
{
    unsigned int event;

    (void)state;
    for (event = 0; event < 256; event++)
        if (event != XEN_SCHEDLOG_EV_RING_PAGES &&
            event != XEN_SCHEDLOG_EV_RING_SECTORS &&
            event != XEN_SCHEDLOG_EV_GUEST_RUNQ)
            assert_false(passes(event, OWN, CLIENT, 1));
}

static void impossible_amounts_are_refused(void **state)
{
    (void)state;
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT,
                        SIEVE_MAX_PAGES + 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, UINT32_MAX));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, UINT64_MAX));
}

#define sieve_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        sieve_test(its_own_work_for_its_clients_is_believed),
        sieve_test(rows_in_the_name_of_others_are_refused),
        sieve_test(rows_about_whom_it_does_not_serve_are_refused),
        sieve_test(a_client_that_it_serves_no_more_is_no_client),
        sieve_test(events_which_are_not_a_linux_s_are_refused),
        sieve_test(impossible_amounts_are_refused),
    };

    return run_tap_tests(tests);
}
