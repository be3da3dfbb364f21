/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the demand of domains, the part that they get, and where their memory is.  Fails if a
 * domain that gets a third of its demand seems to want a third, if a weight or a cap makes no
 * difference, or if an unknown value is reported.
 */
#include <string.h>

#include <xensched/abi.h>

#include "cmocka-tap.h"

#include "model/memory/pages.h"
#include "model/runnable.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)

#define ACCT 2U

static struct matrix *m;
static struct domains domains;
static struct domain *d;

/* One domain of 2 vCPUs. */
static int setup(void **state)
{
    (void)state;
    m = matrix_new(SECOND);
    d = domains_add(&domains);
    d->acct = ACCT;
    domain_make_vcpus(d, 2, 4);
    d->vcpus[0].online = d->vcpus[1].online = true;

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    matrix_free(m);
    domains_free(&domains);

    return 0;
}

static void row(unsigned int event, uint64_t counter, uint64_t now)
{
    struct xensched_row r = {
        .event = event, .current = ACCT, .counter = counter,
        .correspondent = XEN_SCHEDLOG_ACCT_NONE,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    matrix_add(m, &r, now);
}

/* The vCPU runs for a third of the time and waits for the rest, as one of three. */
static void third(struct domain_vcpu *vcpu)
{
    vcpu->use = (struct vcpu_use){ true, 1.0 / 3, 2.0 / 3 };
}

static void a_domain_that_gets_a_third_wants_all(void **state)
{
    struct runnable r;

    (void)state;
    third(&d->vcpus[0]);
    third(&d->vcpus[1]);
    r = runnable_of(m, d, SECOND);
    assert_true(r.whole);
    assert_float_equal(r.ran, 2.0 / 3, 1e-6);
    assert_float_equal(r.waited, 4.0 / 3, 1e-6);
    assert_float_equal(r.queued, 4.0 / 3, 1e-6);
    assert_float_equal(runnable_demand(m, d, SECOND), 2, 1e-6);
}

/* The vCPU ran for @ran ms and waited for @waited ms of @all ms. */
static struct vcpu_times times(uint64_t ran, uint64_t waited, uint64_t all)
{
    return (struct vcpu_times){ .known = true, .ran_ns = ran * MS,
                                .waited_ns = waited * MS, .all_ns = all * MS };
}

/* Xen's sums since the guest's start become recent rates. */
static void times_become_parts_of_the_time(void **state)
{
    struct domains before = { 0 };
    struct domain *then = domains_add(&before);

    (void)state;
    domain_make_vcpus(then, 2, 4);
    then->vcpus[0].times = times(1000, 100, 90000);
    d->vcpus[0].times = times(1250, 600, 91000);
    runnable_update(&domains, &before, SECOND);
    assert_true(d->vcpus[0].use.known);
    assert_false(d->vcpus[1].use.known);
    assert_float_equal(d->vcpus[0].use.ran, 0.25, 1e-9);
    assert_float_equal(d->vcpus[0].use.waited, 0.5, 1e-9);
    /* A half-life later, half of the rate is the present one: zero. */
    then->vcpus[0].times = d->vcpus[0].times;
    then->vcpus[0].use = d->vcpus[0].use;
    d->vcpus[0].times = times(1250, 600, 92000);
    runnable_update(&domains, &before, SECOND);
    assert_float_equal(d->vcpus[0].use.ran, 0.125, 1e-9);
    assert_float_equal(d->vcpus[0].use.waited, 0.25, 1e-9);
    /* No time has passed. */
    then->vcpus[0].times = d->vcpus[0].times;
    then->vcpus[0].use = d->vcpus[0].use;
    runnable_update(&domains, &before, SECOND);
    assert_float_equal(d->vcpus[0].use.ran, 0.125, 1e-9);
    domains_free(&before);
}

/* The number belonged to another domain before. */
static void another_domains_times_are_not_its_own(void **state)
{
    struct domains before = { 0 };
    struct domain *then = domains_add(&before);

    (void)state;
    domain_make_vcpus(then, 2, 4);
    strcpy(then->uuid, "other");
    then->vcpus[0].times = times(0, 0, 1000);
    d->vcpus[0].times = times(500, 0, 2000);
    runnable_update(&domains, &before, SECOND);
    assert_false(d->vcpus[0].use.known);
    domains_free(&before);
}

static void one_unknown_vcpu_is_known_by_rows(void **state)
{
    struct runnable r;
    unsigned int i;

    (void)state;
    third(&d->vcpus[0]);
    for (i = 1; i <= 1000; i++) {
        row(XEN_SCHEDLOG_EV_SERVICE_NS, 5 * MS, i * 10 * MS);
        row(XEN_SCHEDLOG_EV_WAKE_DELAY, 2 * MS, i * 10 * MS);
    }
    r = runnable_of(m, d, 10 * SECOND);
    assert_false(r.whole);
    assert_float_equal(r.ran, 0.5, 0.01);
    assert_float_equal(r.waited, 0.2, 0.01);
    d->wakes.idled = 0.75;
    assert_float_equal(runnable_of(m, d, 10 * SECOND).queued, 0.05, 0.003);
    assert_float_equal(runnable_demand(m, d, 10 * SECOND), 0.7, 0.01);
    /* A vCPU that is offline runs nothing, so nothing of it is missing. */
    d->vcpus[1].online = false;
    assert_true(runnable_of(m, d, 10 * SECOND).whole);
}

static void without_a_number_of_its_own_nothing_is_known(void **state)
{
    (void)state;
    row(XEN_SCHEDLOG_EV_SERVICE_NS, 5 * MS, SECOND);
    d->acct = XEN_SCHEDLOG_ACCT_REST;
    assert_float_equal(runnable_demand(m, d, SECOND), 0, 1e-9);
    assert_false(runnable_of(m, d, SECOND).whole);
}

static void no_domain_uses_more_than_its_cap(void **state)
{
    (void)state;
    third(&d->vcpus[0]);
    third(&d->vcpus[1]);
    d->cap = 150;
    assert_float_equal(runnable_demand(m, d, SECOND), 1.5, 1e-6);
    d->cap = 400;
    assert_float_equal(runnable_demand(m, d, SECOND), 2, 1e-6);
    assert_float_equal(runnable_limit(d), 2, 1e-6);
}

static void pages_that_were_not_counted_are_nowhere(void **state)
{
    static const uint64_t on[] = { 300, 0, 100 };
    struct pages p = { 0 }, copy;

    (void)state;
    assert_false(p.known);
    assert_true(pages_share(&p, 0) < 0);
    pages_init_copy(&copy, &p);
    assert_false(copy.known);
    pages_set(&p, on, 3, 7);
    pages_set(&p, on, 3, 9);
    assert_true(p.known && p.at_ns == 9);
    assert_int_equal(pages_total(&p), 400);
    assert_float_equal(pages_share(&p, 0), 0.75, 1e-6);
    assert_float_equal(pages_share(&p, 1), 0, 1e-6);
    assert_float_equal(pages_share(&p, 99), 0, 1e-6);
    pages_init_copy(&copy, &p);
    pages_free(&p);
    assert_false(p.known);
    assert_float_equal(pages_share(&copy, 2), 0.25, 1e-6);
    pages_free(&copy);
}

#define runnable_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        runnable_test(a_domain_that_gets_a_third_wants_all),
        runnable_test(times_become_parts_of_the_time),
        runnable_test(another_domains_times_are_not_its_own),
        runnable_test(one_unknown_vcpu_is_known_by_rows),
        runnable_test(without_a_number_of_its_own_nothing_is_known),
        runnable_test(no_domain_uses_more_than_its_cap),
        cmocka_unit_test(pages_that_were_not_counted_are_nowhere),
    };

    return run_tap_tests(tests);
}
