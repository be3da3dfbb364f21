/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the validation of a driver domain's rows.
 *
 * Each forged row here would move another guest if it were used: rows in another domain's name,
 * about a domain that the writer does not serve, of events that only the hypervisor sees, and
 * numbers that are larger than anything real.
 */
#include "cmocka-tap.h"

#include "daemon/sources/validation.h"

#define OWN    5U
#define CLIENT 8U
#define OTHER  9U

static struct validation validation;

static int setup(void **state)
{
    (void)state;
    validation = (struct validation){ 0 };
    validation_init(&validation, OWN);
    validation_add_client(&validation, 7);
    validation_add_client(&validation, CLIENT);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    validation_clear(&validation);

    return 0;
}

static bool passes(uint16_t event, uint16_t current, uint16_t correspondent,
                   uint64_t counter)
{
    int64_t most = validation_most(&validation, event, current, correspondent);

    return most >= 0 && counter <= (uint64_t)most;
}

static void its_own_work_for_its_clients_is_believed(void **state)
{
    (void)state;
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, 33));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, 0));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, VALIDATION_MAX_PAGES));
    assert_true(passes(XEN_SCHEDLOG_EV_RING_SECTORS, OWN, CLIENT, 1U << 31));
    assert_true(passes(XEN_SCHEDLOG_EV_GUEST_RUNQ, OWN,
                       XEN_SCHEDLOG_ACCT_NONE, 3));
    assert_true(passes(XEN_SCHEDLOG_EV_GUEST_SWITCH, OWN,
                       XEN_SCHEDLOG_ACCT_NONE, 1ULL << 53));
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

static void rows_about_guests_that_it_does_not_serve_are_refused(void **state)
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
    validation_init(&validation, OWN);
    validation_add_client(&validation, 7);
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
            (event < XEN_SCHEDLOG_EV_GUEST_RUNQ ||
             event > XEN_SCHEDLOG_EV_GUEST_NAME))
            assert_false(passes(event, OWN, CLIENT, 1));
}

static void impossible_amounts_are_refused(void **state)
{
    (void)state;
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT,
                        VALIDATION_MAX_PAGES + 1));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, UINT32_MAX));
    assert_false(passes(XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, UINT64_MAX));
}

static void add(struct matrix *m, uint16_t event, uint16_t current,
                uint16_t correspondent, uint64_t counter, uint64_t now_ns)
{
    const struct xensched_row row = {
        .event = event, .current = current, .correspondent = correspondent,
        .counter = counter,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    matrix_add(m, &row, now_ns);
}

/* Returns the rate of pages between it and a client, with a half-life of a second. */
static double pages(const struct matrix *m, uint64_t now_ns)
{
    return matrix_rate(m, XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, now_ns);
}

static void a_rate_is_no_more_than_its_clients_can_have_asked_for(void **state)
{
    struct matrix *m = matrix_new(1000000000);
    const uint64_t now = 5000000000;
    double honest;

    (void)state;
    /* Rows of an honest domain count in full, even if the client notifies rarely. */
    add(m, XEN_SCHEDLOG_EV_EVTCHN_SEND, CLIENT, OWN, 10, now);
    add(m, XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT,
        10 * VALIDATION_MAX_REQUESTS * VALIDATION_MAX_PAGES, now);
    honest = pages(m, now);
    assert_int_equal(validation_cap(&validation, m, now), 0);
    assert_true(pages(m, now) == honest);

    /* The domain's own notifications prove nothing, and a forged number is cut. */
    add(m, XEN_SCHEDLOG_EV_EVTCHN_SEND, OWN, CLIENT, 1000000, now);
    add(m, XEN_SCHEDLOG_EV_RING_PAGES, OWN, CLIENT, 1ULL << 50, now);
    assert_int_equal(validation_cap(&validation, m, now), 1);
    assert_true(pages(m, now) == honest);

    /* The same holds for a domain that requests nothing. */
    add(m, XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, 1ULL << 50, now);
    assert_int_equal(validation_cap(&validation, m, now), 1);
    assert_true(matrix_rate(m, XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7, now) == 0);

    /* With a threshold, some notifications may have made no row. */
    matrix_set_threshold(m, XEN_SCHEDLOG_EV_EVTCHN_SEND, 10);
    add(m, XEN_SCHEDLOG_EV_RING_PAGES, OWN, 7,
        9 * VALIDATION_MAX_REQUESTS * VALIDATION_MAX_PAGES, now);
    assert_int_equal(validation_cap(&validation, m, now), 0);
    matrix_free(m);
}

#define validation_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        validation_test(its_own_work_for_its_clients_is_believed),
        validation_test(rows_in_the_name_of_others_are_refused),
        validation_test(rows_about_guests_that_it_does_not_serve_are_refused),
        validation_test(a_client_that_it_serves_no_more_is_no_client),
        validation_test(events_which_are_not_a_linux_s_are_refused),
        validation_test(impossible_amounts_are_refused),
        validation_test(a_rate_is_no_more_than_its_clients_can_have_asked_for),
    };

    return run_tap_tests(tests);
}
