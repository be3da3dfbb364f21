/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the residency of domains by rows.  Fails if a moment counts as residency, if old time
 * counts as recent, if one domain's time counts for another one, or if a domain without rows gets a
 * place.
 */
#include <string.h>

#include <xensched/abi.h>

#include "cmocka-tap.h"

#include "model/residency/home.h"

#define MS 1000000ULL
#define SECOND (1000 * MS)

static struct matrix *m;
static struct topology t;
static struct homes *homes;
static struct domain all[3];
static struct domains domains = { 3, all };
static uint64_t now;

/* Sockets of 2 cores each, the first @online of 2. */
static void make_topology(unsigned int online)
{
    unsigned int i;

    topology_init(&t, 4);
    for (i = 0; i < 4; i++)
        t.cpus[i] = (struct topology_cpu){
            .online = i / 2 < online, .core = i % 2, .socket = i / 2,
        };
    topology_make_places(&t);
    assert_int_equal(t.nr_places, online);
}

static int setup(void **state)
{
    unsigned int i;

    (void)state;
    m = matrix_new(SECOND);
    homes = homes_new();
    make_topology(2);
    memset(all, 0, sizeof(all));
    for (i = 0; i < 3; i++) {
        all[i].domid = i;
        all[i].acct = XEN_SCHEDLOG_ACCT_FIRST + i;
    }
    domains.nr = 3;
    now = 100 * SECOND;

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    homes_free(homes);
    matrix_free(m);
    topology_free(&t);

    return 0;
}

static void ran(unsigned int i, uint32_t cpu, uint64_t ns)
{
    struct xensched_row row = {
        .event = XEN_SCHEDLOG_EV_SERVICE_NS, .current = all[i].acct,
        .cpu = cpu, .counter = ns,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_COUNTER,
    };

    matrix_add(m, &row, now);
}

static void update(void)
{
    homes_update(homes, m, &t, &domains, now);
}

/* Lets a domain run 100 ms of each second: @ms of them on pCPU 3, the rest on pCPU 0. */
static void live(unsigned int i, unsigned int seconds, unsigned int ms)
{
    for (; seconds; seconds--) {
        now += SECOND;
        ran(i, 3, ms * MS);
        ran(i, 0, (100 - ms) * MS);
        update();
    }
}

/* Returns the share of its time at @place; -1: unknown. */
static double share_of(unsigned int i, unsigned int place)
{
    struct home home = homes_place(homes, i);

    return home.share < 0 ? -1 : home.at == place ? home.share : 1 - home.share;
}

static void shares_are_of_its_own_time(void **state)
{
    (void)state;
    update();
    live(0, 10, 20);
    assert_int_equal(homes_place(homes, 0).at, 0);
    assert_float_equal(homes_place(homes, 0).share, 0.8, 0.001);
    assert_float_equal(share_of(0, 0), 0.8, 0.001);
    assert_float_equal(share_of(0, 1), 0.2, 0.001);
    live(1, 10, 90);
    assert_int_equal(homes_place(homes, 1).at, 1);
    assert_float_equal(share_of(1, 1), 0.9, 0.001);
    /* A guest that is idle for a while keeps its residency. */
    assert_float_equal(share_of(0, 0), 0.8, 0.001);
}

static void a_moment_is_no_home_and_a_trip_does_not_change_it(void **state)
{
    (void)state;
    update();
    live(0, 1, 0);
    assert_int_equal(homes_place(homes, 0).at, TOPOLOGY_UNKNOWN);
    assert_true(share_of(0, 0) < 0);
    live(0, 29, 0);
    live(0, 3, 100);
    assert_float_equal(share_of(0, 0), 0.78, 0.03);
    live(0, 30, 0);
    assert_true(share_of(0, 0) > 0.95);
}

static void a_domain_that_moved_lives_there_after_a_while(void **state)
{
    (void)state;
    update();
    live(0, 100, 0);
    live(0, 10, 100);
    assert_float_equal(share_of(0, 1), 0.5, 0.03);
    live(0, 30, 100);
    assert_true(share_of(0, 1) > 0.9);
}

/* The time before the first update says nothing, because it may be old. */
static void only_what_was_seen_counts(void **state)
{
    (void)state;
    ran(0, 3, 500 * SECOND);
    update();
    live(0, 10, 0);
    assert_float_equal(share_of(0, 0), 1, 0.001);
}

static void without_runs_or_a_number_of_its_own_it_is_unknown(void **state)
{
    (void)state;
    all[1].acct = XEN_SCHEDLOG_ACCT_REST;
    update();
    live(1, 10, 0);
    assert_int_equal(homes_place(homes, 0).at, TOPOLOGY_UNKNOWN);
    assert_int_equal(homes_place(homes, 1).at, TOPOLOGY_UNKNOWN);
    assert_true(share_of(1, 0) < 0);
}

static void another_domain_with_an_old_number_begins_anew(void **state)
{
    (void)state;
    update();
    live(0, 10, 0);
    live(1, 10, 100);
    /* 0 ends, and 1 ends and comes back as another domain. */
    memmove(&all[0], &all[1], 2 * sizeof(all[0]));
    domains.nr = 2;
    update();
    assert_int_equal(homes_place(homes, 0).at, 1);
    all[0].since_ns = now;
    matrix_forget(m, all[0].acct);
    update();
    assert_true(homes_place(homes, 0).share < 0);
    live(0, 10, 0);
    assert_float_equal(share_of(0, 0), 1, 0.001);
}

static void forgotten_time_is_not_counted_twice(void **state)
{
    (void)state;
    update();
    live(0, 10, 50);
    matrix_forget(m, all[0].acct);
    live(0, 10, 50);
    assert_float_equal(share_of(0, 0), 0.5, 0.001);
}

static void other_places_are_another_world(void **state)
{
    (void)state;
    update();
    live(0, 10, 0);
    topology_free(&t);
    make_topology(1);
    update();
    assert_int_equal(homes_place(homes, 0).at, TOPOLOGY_UNKNOWN);
    live(0, 10, 0);
    assert_int_equal(homes_place(homes, 0).at, 0);
}

#define home_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        home_test(shares_are_of_its_own_time),
        home_test(a_moment_is_no_home_and_a_trip_does_not_change_it),
        home_test(a_domain_that_moved_lives_there_after_a_while),
        home_test(only_what_was_seen_counts),
        home_test(without_runs_or_a_number_of_its_own_it_is_unknown),
        home_test(another_domain_with_an_old_number_begins_anew),
        home_test(forgotten_time_is_not_counted_twice),
        home_test(other_places_are_another_world),
    };

    return run_tap_tests(tests);
}
