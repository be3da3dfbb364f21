/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what the core does after a move: rows show where the guest ran, the journal reports it,
 * and affinities and Xen's parameter follow.
 *
 * Fails if a move without effect is called done, if a hard affinity or the soft weight outlives the
 * daemon, or if mode advise changes them.
 */
#include <unistd.h>

#include "cmocka-tap.h"
#include "core-world.h"

const char state_path[] = "test-core-lever.state";
const char journal_path[] = "test-core-lever.journal";

#define WEIGHT 7U

/* All rows are of pCPU 0: DISK runs on node 0, whatever its affinity is. */
#define RUNS TALK ",pair=service-ns/3/1/1/100000"

/* Puts dom0 on the other node, so that DISK is moved there. */
static void dom0_is_far(void)
{
    domain(0)->vcpus[0].hard = domain(0)->vcpus[1].hard = FAKE_NODE_1;
}

static int weighted_setup(void **state)
{
    setup(state);
    settings.soft_weight = 50;
    host.world->weight = WEIGHT;

    return 0;
}

static void a_guest_that_runs_at_its_target_has_arrived(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(60, RUNS);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    assert_int_equal(count_in_journal("\"arrived\""), 1);
    assert_int_equal(count_in_journal("\"not-there\""), 0);
    assert_int_equal(count_in_journal("\"outcome\""), 1);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_ALL);
}

static void a_guest_that_runs_elsewhere_gets_hard_affinity_and_a_reason(
    void **state)
{
    (void)state;
    dom0_is_far();
    start(MODE_ACT);
    run(15, RUNS);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_NODE_1);
    assert_int_equal(count_in_journal("\"arrived\""), 0);
    assert_int_equal(count_in_journal("\"not-there\""), 1);
    assert_int_equal(count_in_journal("only 0 % of its time"), 1);
    assert_int_equal(count_in_journal("\"harden\""), 1);
    core_stop(&core);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(domain(DISK)->vcpus[0].soft, FAKE_ALL);
}

static void where_soft_was_said_there_is_no_order(void **state)
{
    (void)state;
    dom0_is_far();
    domain(DISK)->soft_only = true;
    start(MODE_ACT);
    run(30, RUNS);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(count_in_journal("\"not-there\""), 1);
}

/* An operator held the guest, so it is neither moved nor confined. */
static void a_held_guest_gets_no_hard_affinity(void **state)
{
    (void)state;
    dom0_is_far();
    start(MODE_ACT);
    while (!fake_has_soft(domain(DISK), FAKE_NODE_1))
        run(1, RUNS);
    domain(DISK)->stays = true;
    run(15, RUNS);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(count_in_journal("\"harden\""), 0);
}

/* kill -9 ends the daemon; its successor restores first. */
static void an_order_of_a_daemon_that_was_killed_is_taken_back(void **state)
{
    (void)state;
    dom0_is_far();
    start(MODE_ACT);
    run(15, RUNS);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_NODE_1);
    assert_int_equal(host.world->weight, 50);
    core_free(&core);
    start(MODE_ADVISE);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(domain(DISK)->vcpus[0].soft, FAKE_ALL);
    assert_int_equal(host.world->weight, WEIGHT);
}

static void the_soft_weight_is_raised_while_it_acts(void **state)
{
    (void)state;
    start(MODE_ADVISE);
    run(3, RUNS);
    assert_int_equal(host.world->weight, WEIGHT);
    core_set_mode(&core, MODE_ACT);
    run(15, RUNS);
    assert_int_equal(host.world->weight, 50);
    /* In mode advise moved guests keep their places, and the soft weight stays. */
    core_set_mode(&core, MODE_ADVISE);
    run(3, RUNS);
    assert_int_equal(host.world->weight, 50);
    core_restore(&core, "test");
    assert_int_equal(host.world->weight, WEIGHT);
}

static void a_changed_soft_weight_is_taken_over(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(1, SILENCE);
    settings.soft_weight = 20;
    core_change(&core, &settings);
    run(1, SILENCE);
    assert_int_equal(host.world->weight, 20);
    settings.soft_weight = 0;
    core_change(&core, &settings);
    run(1, SILENCE);
    assert_int_equal(host.world->weight, WEIGHT);
}

#define lever_test(f) \
    cmocka_unit_test_setup_teardown(f, weighted_setup, teardown)

/* xl asked for node 1 when it made the guest; Xen runs it on node 0 all the time. */
static void a_guest_that_xl_placed_and_runs_elsewhere_is_moved(void **state)
{
    (void)state;
    dom0_is_far();
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    start(MODE_ACT);
    run(15, RUNS);
    assert_int_equal(core.moves, 1);
    assert_int_equal(count_in_journal("prefers node 1 already, but runs there "
                                      "only 0 % of its time"), 1);
    assert_int_equal(count_in_journal("\"not-there\""), 1);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_NODE_1);
    core_stop(&core);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(domain(DISK)->vcpus[0].soft, FAKE_NODE_1);
}

static int bounded_setup(void **state)
{
    setup(state);
    settings.max_moves = 1;

    return 0;
}

/*
 * The verdict comes after the only move of the minute, so the restoration is put off, and then done.
 * The other guest stays, because the waits are at an idle pCPU: there is no crowd.
 */
static void a_verdict_outlives_the_minute_of_moves(void **state)
{
    (void)state;
    start(MODE_ACT);
    while (!fake_has_soft(domain(DISK), FAKE_NODE_0))
        run(1, RUNS ",pair=wake-delay/3/1/1/1000");
    run(120, RUNS ",pair=wake-delay/3/1/1/4000000");
    assert_int_equal(count_in_journal("\"worse\""), 1);
    assert_int_equal(count_in_journal("\"put-off\""), 1);
    assert_int_equal(count_in_journal("\"restore\""), 1);
    assert_int_equal(count_in_journal("\"code\":\"undone\""), 2);
    assert_int_equal(count_in_journal("\"move\""), 1);
    assert_int_equal(core.regrets, 1);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

static void a_proposed_move_does_not_arrive(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(20, RUNS);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    core_set_mode(&core, MODE_ADVISE);
    dom0_is_far();
    run(30, RUNS);
    assert_int_equal(count_in_journal("\"arrived\""), 1);
}

/* Gives each guest a load that needs most of a node's two cores. */
static void disk_leaves_the_place_to_spin(void)
{
    run(20, "pair=evtchn-send/3/2/1/1,pair=evtchn-send/2/3/1/1,"
            "pair=evtchn-send/4/2/1/1,pair=evtchn-send/2/4/1/1,"
            "pair=service-ns/3/1/1/5400000,pair=service-ns/4/1/1/5400000");
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_true(fake_has_soft(domain(SPIN), FAKE_NODE_0));
}

static void a_held_guest_takes_no_capacity_from_others(void **state)
{
    (void)state;
    fake_domain_new(&host, SPIN, "spin", 1);
    domain(DISK)->stays = true;
    start(MODE_ACT);
    disk_leaves_the_place_to_spin();
}

static void nor_does_a_guest_that_an_operator_holds(void **state)
{
    struct xensched_error err;

    (void)state;
    fake_domain_new(&host, SPIN, "spin", 1);
    start(MODE_ACT);
    run(1, SILENCE);
    assert_int_equal(actuator_hold(&core.actuator,
                                   &core.domains.domain[DISK], true, &err), 0);
    disk_leaves_the_place_to_spin();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        lever_test(a_guest_that_runs_at_its_target_has_arrived),
        lever_test(a_guest_that_runs_elsewhere_gets_hard_affinity_and_a_reason),
        lever_test(where_soft_was_said_there_is_no_order),
        lever_test(a_held_guest_gets_no_hard_affinity),
        lever_test(an_order_of_a_daemon_that_was_killed_is_taken_back),
        lever_test(the_soft_weight_is_raised_while_it_acts),
        lever_test(a_changed_soft_weight_is_taken_over),
        core_test(a_guest_that_xl_placed_and_runs_elsewhere_is_moved),
        cmocka_unit_test_setup_teardown(a_verdict_outlives_the_minute_of_moves,
                                        bounded_setup, teardown),
        core_test(a_proposed_move_does_not_arrive),
        core_test(a_held_guest_takes_no_capacity_from_others),
        core_test(nor_does_a_guest_that_an_operator_holds),
    };

    return run_tap_tests(tests);
}
