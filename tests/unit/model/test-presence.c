/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks where domains ran, by rows.  Fails if a share is of another domain's time, if old time
 * counts as recent, or if a notification between domains at one place counts as a crossing.
 */
#include <stdlib.h>

#include <xensched/abi.h>

#include "cmocka-tap.h"

#include "model/residency/presence.h"
#include "model/residency/servers.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)
#define HALF_LIFE SECOND

#define A 2U
#define B 3U

static struct matrix *m;
static struct topology t;
static struct domain a = { .acct = A }, b = { .acct = B };

/* 2 sockets of 2 cores. */
static int setup(void **state)
{
    unsigned int cpu;

    (void)state;
    m = matrix_new(HALF_LIFE);
    topology_init(&t, 4);
    for (cpu = 0; cpu < 4; cpu++) {
        t.cpus[cpu].online = true;
        t.cpus[cpu].core = cpu % 2;
        t.cpus[cpu].socket = cpu / 2;
    }
    topology_make_places(&t);
    assert_int_equal(t.nr_places, 2);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    matrix_free(m);
    topology_free(&t);

    return 0;
}

static void row(unsigned int event, uint16_t from, uint16_t to, uint32_t cpu,
                uint64_t counter, uint64_t now)
{
    struct xensched_row r = {
        .event = event, .current = from, .correspondent = to, .cpu = cpu,
        .counter = counter,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    matrix_add(m, &r, now);
}

static void ran(uint16_t acct, uint32_t cpu, uint64_t ns, uint64_t now)
{
    row(XEN_SCHEDLOG_EV_SERVICE_NS, acct, XEN_SCHEDLOG_ACCT_NONE, cpu, ns, now);
}

static double share(const struct domain *d, unsigned int place, uint64_t now)
{
    return presence_share(m, d, &t.places[place].cpus, now);
}

static void shares_are_parts_of_its_own_time(void **state)
{
    (void)state;
    ran(A, 0, 6 * MS, SECOND);
    ran(A, 1, 3 * MS, SECOND);
    ran(A, 2, 1 * MS, SECOND);
    ran(B, 3, 500 * MS, SECOND);
    assert_float_equal(share(&a, 0, SECOND), 0.9, 0.01);
    assert_float_equal(share(&a, 1, SECOND), 0.1, 0.01);
    assert_float_equal(share(&b, 1, SECOND), 1, 0.001);
    assert_int_equal(presence_total(m, &a, &t.places[0].cpus), 9 * MS);
    assert_int_equal(presence_total(m, &b, &t.places[0].cpus), 0);
    assert_float_equal(presence_use(m, &b, &t.places[1].cpus, SECOND), 0.29,
                       0.02);
}

static void old_time_does_not_count(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 100; i++)
        ran(A, 0, 5 * MS, SECOND + i * 10 * MS);
    assert_float_equal(share(&a, 0, 2 * SECOND), 1, 0.001);
    for (i = 0; i < 600; i++)
        ran(A, 2, 5 * MS, 2 * SECOND + i * 10 * MS);
    assert_true(share(&a, 0, 8 * SECOND) < 0.02);
    assert_true(share(&a, 1, 8 * SECOND) > 0.98);
}

static void all_domains_at_once_have_the_same_shares(void **state)
{
    struct domain of[] = { a, b, { .acct = XEN_SCHEDLOG_ACCT_REST }, { .acct = 9 } };
    const struct domains domains = { sizeof(of) / sizeof(*of), of };
    unsigned int i, k;
    double *all;

    (void)state;
    for (i = 0; i < 40; i++) {
        ran(i % 3 ? A : B, i % 4, (1 + i % 7) * MS, SECOND + i * 10 * MS);
        ran(XEN_SCHEDLOG_ACCT_REST, i % 4, MS, SECOND + i * 10 * MS);
        ran(XEN_SCHEDLOG_ACCT_XEN, i % 4, MS, SECOND + i * 10 * MS);
    }
    all = presence_by_cache(m, &t, &domains, 2 * SECOND);
    for (i = 0; i < domains.nr; i++)
        for (k = 0; k < t.nr_caches; k++)
            assert_float_equal(all[i * t.nr_caches + k],
                               presence_share(m, &of[i], &t.caches[k].cpus, 2 * SECOND), 1e-12);
    assert_true(all[0] > 0 && all[0] < 1);
    assert_true(all[2 * t.nr_caches] < 0 && all[3 * t.nr_caches] < 0);
    free(all);
}

static void a_domain_that_has_not_run_is_unknown(void **state)
{
    struct domain rest = { .acct = XEN_SCHEDLOG_ACCT_REST };

    (void)state;
    assert_true(share(&a, 0, SECOND) < 0);
    ran(A, 0, 5 * MS, SECOND);
    ran(XEN_SCHEDLOG_ACCT_REST, 0, 5 * MS, SECOND);
    assert_true(share(&rest, 0, SECOND) < 0);
    assert_int_equal(presence_total(m, &rest, &t.places[0].cpus), 0);
    assert_true(share(&a, 0, 60 * SECOND) < 0);
    matrix_forget(m, A);
    assert_true(share(&a, 0, SECOND) < 0);
    assert_int_equal(presence_total(m, &a, &t.places[0].cpus), 0);
}

static void talk(unsigned int per_second)
{
    unsigned int i;

    for (i = 0; i < 10 * per_second; i++) {
        uint64_t now = SECOND + 10 * SECOND * i / (10 * per_second);

        row(XEN_SCHEDLOG_EV_EVTCHN_SEND, A, B, 0, 1, now);
    }
}

static double crossings(void)
{
    return presence_crossings(m, &t, &a, &b, 11 * SECOND);
}

static void domains_together_cross_nothing(void **state)
{
    (void)state;
    talk(100);
    assert_true(crossings() < 0);
    ran(A, 0, 5 * MS, 11 * SECOND);
    ran(B, 1, 5 * MS, 11 * SECOND);
    assert_float_equal(crossings(), 0, 0.5);
}

static void domains_apart_cross_with_each_and_both_ways(void **state)
{
    (void)state;
    talk(100);
    ran(A, 0, 5 * MS, 11 * SECOND);
    ran(B, 2, 5 * MS, 11 * SECOND);
    assert_float_equal(crossings(), 100, 3);
    assert_float_equal(presence_crossings(m, &t, &b, &a, 11 * SECOND),
                       crossings(), 0.01);
    /* B spends half of the time at the other place. */
    ran(B, 1, 5 * MS, 11 * SECOND);
    assert_float_equal(crossings(), 50, 3);
}

static double sent(uint16_t from, uint16_t to)
{
    return matrix_rate(m, XEN_SCHEDLOG_EV_EVTCHN_SEND, from, to, 11 * SECOND);
}

static void exchanges_of_all_domains_at_once_are_the_same(void **state)
{
    struct domain of[] = { a, b, { .acct = XEN_SCHEDLOG_ACCT_REST }, { .acct = 9 } };
    const struct domains domains = { sizeof(of) / sizeof(*of), of };
    struct domain_exchange *all;
    unsigned int i;

    (void)state;
    talk(100);
    row(XEN_SCHEDLOG_EV_EVTCHN_SEND, B, A, 0, 40, 11 * SECOND);
    row(XEN_SCHEDLOG_EV_EVTCHN_SEND, A, A, 0, 300, 11 * SECOND);
    row(XEN_SCHEDLOG_EV_EVTCHN_SEND, A, XEN_SCHEDLOG_ACCT_REST, 0, 500, 11 * SECOND);
    row(XEN_SCHEDLOG_EV_EVTCHN_SEND, 9, A, 0, 500, 11 * SECOND);
    row(XEN_SCHEDLOG_EV_GRANT_MAP, A, B, 0, 500, 11 * SECOND);
    ran(A, 0, 5 * MS, 11 * SECOND);
    ran(B, 1, 2 * MS, 11 * SECOND);
    ran(B, 2, 5 * MS, 11 * SECOND);
    ran(XEN_SCHEDLOG_ACCT_REST, 2, 5 * MS, 11 * SECOND);
    all = presence_exchanges(m, &t, &domains, 11 * SECOND);
    for (i = 0; i < 2; i++)
        assert_float_equal(all[i].crossings, crossings(), 1e-9);
    assert_true(crossings() > 50);
    assert_true(all[2].crossings < 0 && all[3].crossings < 0);
    /* The sum includes pairs with a domain that did not run recently. */
    assert_float_equal(all[0].notifications, sent(A, B) + sent(B, A) + sent(9, A), 1e-9);
    assert_float_equal(all[1].notifications, sent(A, B) + sent(B, A), 1e-9);
    assert_float_equal(all[2].notifications, 0, 1e-9);
    assert_float_equal(all[3].notifications, sent(9, A), 1e-9);
    free(all);
}

static double between(const struct domain *x, const struct domain *y)
{
    return presence_crossings(m, &t, x, y, 11 * SECOND);
}

/* B runs everywhere; its vCPU that serves A is on place 1. */
static void a_guest_that_is_served_from_afar_crosses(void **state)
{
    struct domains domains = { 0 };
    struct domain *server = domains_add(&domains);

    (void)state;
    server->acct = B;
    domain_make_vcpus(server, 2, 4);
    cpumap_init(&server->pool_cpus, 4);
    cpumap_fill(&server->pool_cpus);
    cpumap_set(&server->vcpus[0].hard, 0);
    cpumap_set(&server->vcpus[1].hard, 2);
    talk(100);
    ran(A, 0, 5 * MS, 11 * SECOND);
    ran(B, 0, 5 * MS, 11 * SECOND);
    ran(B, 2, 5 * MS, 11 * SECOND);
    assert_float_equal(between(&a, server), 50, 3);
    servers_add(server, a.domid + 1, 0);
    assert_float_equal(between(&a, server), 50, 3);
    servers_add(server, a.domid, 1);
    assert_float_equal(between(&a, server), 100, 3);
    assert_float_equal(between(server, &a), 100, 3);
    servers_add(server, a.domid, 0);
    assert_float_equal(between(&a, server), 50, 3);
    domains_free(&domains);
}

/* A row counts for all notifications of its threshold, wherever those were. */
static void a_row_counts_for_its_threshold(void **state)
{
    (void)state;
    matrix_set_threshold(m, XEN_SCHEDLOG_EV_SERVICE_NS, 4);
    ran(A, 0, 5 * MS, SECOND);
    assert_int_equal(presence_total(m, &a, &t.places[0].cpus), 20 * MS);
    assert_int_equal(matrix_total(m, XEN_SCHEDLOG_EV_SERVICE_NS, A), 20 * MS);
}

#define presence_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        presence_test(shares_are_parts_of_its_own_time),
        presence_test(old_time_does_not_count),
        presence_test(all_domains_at_once_have_the_same_shares),
        presence_test(a_domain_that_has_not_run_is_unknown),
        presence_test(domains_together_cross_nothing),
        presence_test(domains_apart_cross_with_each_and_both_ways),
        presence_test(exchanges_of_all_domains_at_once_are_the_same),
        presence_test(a_guest_that_is_served_from_afar_crosses),
        presence_test(a_row_counts_for_its_threshold),
    };

    return run_tap_tests(tests);
}
