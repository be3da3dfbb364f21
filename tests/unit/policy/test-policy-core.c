/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the core of a back end as a target: a guest that takes turns with its back end moves
 * there from the core's cache, a guest that would wait does not, and none moves back and forth.
 * Sockets of 4 cores; dom0 has one vCPU, bound to pCPU 0.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL
#define CORE_0  0x01ULL

/* Notifications that move as many cache lines as a read of 4 KiB (placement/prices.c). */
#define OF_A_READ (260 / 66.0)

#define TEN_MINUTES 600
#define AN_HOUR     3600

static struct policy_settings settings;

static void begin(const char *policies, unsigned int threads)
{
    world_begin(policies, &settings, 2, 4, threads);
    world.domains[0].nr_vcpus = 1;
    world.domains[0].hard = 1;
    world.domains[0].use = 0.45;
}

static int setup(void **state)
{
    (void)state;
    settings = policy_defaults;
    begin("placement", 1);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static void begin_anew(const char *policies, unsigned int threads)
{
    world_end();
    begin(policies, threads);
}

/* A guest with one vCPU on the other socket, which reads from dom0's disk. */
static unsigned int reader(double use, double reads)
{
    unsigned int domid = world_guest(1, use);

    world.domains[domid].cpu = world.topology.nr_cpus - 1;
    world_talk(domid, 0, reads * OF_A_READ);

    return domid;
}

static uint64_t at(unsigned int domid)
{
    return world.domains[domid].ours ? world.domains[domid].soft : world.all;
}

static void settle(void)
{
    world_warm_up();
    world_run(40);
}

/* 31,000 reads/s, one at a time: needs as on the simulated xeon2 of docs/develop/results.md. */
static unsigned int one_at_a_time(void)
{
    return reader(0.40, 31000);
}

static void a_pair_that_takes_turns_shares_a_core(void **state)
{
    unsigned int guest = one_at_a_time();

    (void)state;
    world_warm_up();
    while (!world.domains[guest].moves)
        world_run(1);
    assert_int_equal(at(guest), PLACE_0);
    while (world.domains[guest].moves < 2)
        world_run(1);
    assert_int_equal(at(guest), CORE_0);
    world_says(guest, "to pCPU 0 (pCPUs 0): saves ");
    world_says(guest, "it shares a core with its back end; they need 0.40 and 0.45 pCPUs");
    world_run(AN_HOUR);
    assert_int_equal(world.domains[guest].moves, 2);
    assert_int_equal(at(guest), CORE_0);
}

/* The case in which a policy without the term decides wrongly. */
static void without_the_term_it_stays_in_the_cache(void **state)
{
    unsigned int guest;

    (void)state;
    begin_anew("driver-affinity", 1);
    guest = one_at_a_time();
    settle();
    assert_int_equal(at(guest), PLACE_0);
}

static void threads_of_a_core_are_shared_without_a_hard_affinity(void **state)
{
    unsigned int guest;

    (void)state;
    settings.lever = LEVER_SOFT;
    begin_anew("placement", 2);
    guest = one_at_a_time();
    settle();
    assert_int_equal(at(guest), 3);
    begin_anew("placement", 1);
    guest = one_at_a_time();
    settle();
    assert_int_equal(at(guest), PLACE_0);
}

static void a_busy_pair_keeps_two_cores(void **state)
{
    static const struct {
        double back_end, guest, reads;
    } pairs[] = {
        { 0.70, 0.40, 31000 }, /* more than a pCPU together */
        { 0.45, 0.45, 2000 },  /* they would wait for longer than lines take */
        { 1.00, 0.60, 90000 }, /* 32 reads at a time */
    };
    unsigned int guest, i;

    (void)state;
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        begin_anew("placement", 1);
        world.domains[0].use = pairs[i].back_end;
        guest = reader(pairs[i].guest, pairs[i].reads);
        settle();
        assert_int_equal(at(guest), PLACE_0);
        assert_int_equal(world.domains[guest].moves, 1);
    }
}

static void only_one_guest_is_beside_a_back_end(void **state)
{
    unsigned int first = reader(0.1, 8000), second = reader(0.1, 9000);

    (void)state;
    world.domains[0].use = 0.3;
    settle();
    assert_int_equal(at(first), PLACE_0);
    assert_int_equal(at(second), CORE_0);
    world_run(AN_HOUR);
    assert_int_equal(world_moves(), 3);
}

static void these_have_no_core_to_share(void **state)
{
    unsigned int wide = reader(0.2, 20000), other = reader(0.2, 20000);

    (void)state;
    world.domains[wide].nr_vcpus = 2;
    world.domains[other].group = 1;
    settle();
    assert_int_equal(at(wide), PLACE_0);
    assert_int_equal(at(other), PLACE_0);
    /* A back end that may run on several cores. */
    begin_anew("placement", 1);
    world.domains[0].hard = 3;
    wide = one_at_a_time();
    settle();
    assert_int_equal(at(wide), PLACE_0);
    /* Two back ends on a core. */
    begin_anew("placement", 1);
    wide = one_at_a_time();
    world.domains[world_guest(1, 0.1)] = world.domains[0];
    settle();
    assert_int_equal(at(wide), PLACE_0);
    /* An operator has bound a guest to it. */
    begin_anew("placement", 1);
    wide = one_at_a_time();
    other = world_guest(1, 0.1);
    world.domains[other].operators = true;
    world.domains[other].hard = 1;
    settle();
    assert_int_equal(at(wide), PLACE_0);
}

static void it_leaves_if_its_back_end_does(void **state)
{
    unsigned int guest = one_at_a_time();

    (void)state;
    settle();
    assert_int_equal(at(guest), CORE_0);
    world.domains[0].hard = PLACE_0;
    while (at(guest) == CORE_0)
        world_run(1);
    world_says(guest, "it may no longer share a core with its back end");
    world_run(AN_HOUR);
    assert_int_equal(at(guest), PLACE_0);
    assert_int_equal(world.domains[guest].moves, 3);
}

/*
 * Waits count once they are there, also before it has stayed for stay_ns.  Each return takes twice
 * as long as the one before.
 */
static void a_guest_that_waits_leaves_and_returns_ever_later(void **state)
{
    unsigned int guest = one_at_a_time(), second, moves;

    (void)state;
    world_warm_up();
    while (at(guest) != CORE_0)
        world_run(1);
    world.domains[guest].queues = 0.6;
    for (second = 0; at(guest) == CORE_0; second++)
        world_run(1);
    assert_in_range(second, 1, 5);
    assert_int_equal(at(guest), PLACE_0);
    moves = world.domains[guest].moves;
    for (second = 0; second < AN_HOUR; second++) {
        world.domains[guest].queues = at(guest) == CORE_0 ? 0.6 : 0;
        world_run(1);
        if (second < TEN_MINUTES - 10)
            assert_int_equal(at(guest), PLACE_0);
    }
    /* After 10, 20, and not yet after 40 minutes. */
    assert_int_equal(world.domains[guest].moves, moves + 4);
}

static void waits_of_before_are_no_price(void **state)
{
    unsigned int guest = reader(0.2, 31000);

    (void)state;
    world.domains[0].use = 0.2;
    world.domains[0].queues = world.domains[guest].queues = 0.25;
    settle();
    assert_int_equal(at(guest), CORE_0);
    world_run(AN_HOUR);
    assert_int_equal(at(guest), CORE_0);
    assert_int_equal(world.domains[guest].moves, 2);
}

/* Waits while the pCPU woke up are no queueing, so they excuse none. */
static void waits_of_before_that_found_idle_pcpus_excuse_none(void **state)
{
    unsigned int guest = reader(0.2, 31000);

    (void)state;
    world.domains[0].use = 0.2;
    world.domains[0].queues = world.domains[guest].queues = 0.25;
    world.domains[0].idled = world.domains[guest].idled = 1;
    settle();
    assert_int_equal(at(guest), CORE_0);
    world.domains[0].idled = world.domains[guest].idled = 0;
    world_run(60);
    assert_int_equal(at(guest), PLACE_0);
}

/* By chance they would wait for 225 ms/s, and its lines save less than that. */
static void a_guest_that_is_there_pays_for_counted_waits_only(void **state)
{
    unsigned int guest = one_at_a_time();

    (void)state;
    settle();
    assert_int_equal(at(guest), CORE_0);
    world.domains[0].use = 0.45;
    world.domains[guest].use = 0.50;
    world_talk(guest, 0, 12000 * OF_A_READ);
    world_run(TEN_MINUTES);
    assert_int_equal(at(guest), CORE_0);
    assert_int_equal(world.domains[guest].moves, 2);
}

/* Its work costs more there, for a reason that no term knows. */
static void a_move_that_costs_more_is_undone_and_the_cache_is_not_shunned(void **state)
{
    unsigned int guest = one_at_a_time(), second;

    (void)state;
    world.real = true;
    world_warm_up();
    for (second = 0; second < 300; second++) {
        world.domains[guest].waits_there = at(guest) == CORE_0 ? 0.3 : 0.01;
        world.domains[guest].waits = 0.01;
        world_run(1);
    }
    assert_int_equal(world.domains[guest].backs, 1);
    assert_int_equal(at(guest), PLACE_0);
    assert_int_equal(world.domains[guest].moves, 3);
}

static void soft_affinities_are_made_hard_if_they_have_no_effect(void **state)
{
    unsigned int guest = one_at_a_time();

    (void)state;
    world.real = true;
    settle();
    assert_int_equal(at(guest), CORE_0);
    assert_false(world.domains[guest].is_hard);
    world.domains[guest].cpu = 1;
    world.deaf = true;
    world_run(20);
    assert_true(world.domains[guest].is_hard);
    assert_int_equal(world.domains[guest].cpu, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_pair_that_takes_turns_shares_a_core, setup, teardown),
        cmocka_unit_test_setup_teardown(without_the_term_it_stays_in_the_cache, setup, teardown),
        cmocka_unit_test_setup_teardown(threads_of_a_core_are_shared_without_a_hard_affinity,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_busy_pair_keeps_two_cores, setup, teardown),
        cmocka_unit_test_setup_teardown(only_one_guest_is_beside_a_back_end, setup, teardown),
        cmocka_unit_test_setup_teardown(these_have_no_core_to_share, setup, teardown),
        cmocka_unit_test_setup_teardown(it_leaves_if_its_back_end_does, setup, teardown),
        cmocka_unit_test_setup_teardown(a_guest_that_waits_leaves_and_returns_ever_later,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(waits_of_before_are_no_price, setup, teardown),
        cmocka_unit_test_setup_teardown(waits_of_before_that_found_idle_pcpus_excuse_none,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_guest_that_is_there_pays_for_counted_waits_only,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_move_that_costs_more_is_undone_and_the_cache_is_not_shunned, setup, teardown),
        cmocka_unit_test_setup_teardown(soft_affinities_are_made_hard_if_they_have_no_effect,
                                        setup, teardown),
    };

    return run_tap_tests(tests);
}
