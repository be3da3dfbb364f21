/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what the core does with affinities of others: an operator's affinity stays, whenever it
 * was set, and an affinity that xl chose has no owner.
 */
#include "cmocka-tap.h"
#include "core-world.h"

const char state_path[] = "test-core-ownership.state";
const char journal_path[] = "test-core-ownership.journal";

static void an_operators_move_stays(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    domain(DISK)->vcpus[0].soft = 0x4;
    run(60, TALK);
    assert_true(fake_has_soft(domain(DISK), 0x4));
    assert_int_equal(core.moves, 1);
    /* The operator may also set the default. */
    domain(DISK)->vcpus[0].soft = FAKE_ALL;
    run(60, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

/* Earlier, the journal named no cause, and the guest was never moved again. */
static void restoring_the_original_by_hand_is_in_the_journal(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    domain(DISK)->vcpus[0].soft = FAKE_ALL;
    run(60, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(count_in_journal("\"what\":\"operator\""), 1);
    assert_int_equal(core.actuator.state.nr, 0);
}

static void a_pcpu_that_goes_and_comes_moves_nothing(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(20, TALK);
    assert_int_equal(core.moves, 1);
    host.world->offline = 0x2;
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    host.world->offline = 0;
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    assert_int_equal(core.moves, 1);
}

static void an_affinity_from_before_is_the_operators(void **state)
{
    (void)state;
    domain(DISK)->names_affinity = true;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    start(MODE_ACT);
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

static void a_hard_affinity_is_the_operators(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].hard = FAKE_NODE_1;
    start(MODE_ACT);
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
}

/* On NUMA hosts xl picks an affinity for every guest. */
static void an_affinity_that_xl_chose_has_no_owner(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    core_stop(&core);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

/* xenstore has no configuration while xl builds the guest, so its absence proves nothing. */
static void a_guest_seen_while_xl_builds_it_is_looked_up_again(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    domain(DISK)->names_affinity = -1;
    start(MODE_ACT);
    run(30, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
    domain(DISK)->names_affinity = 0;
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

/* Some toolstacks store no configuration. */
static void a_guest_without_configuration_is_not_looked_up_for_ever(void **state)
{
    unsigned int asked;

    (void)state;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    domain(DISK)->names_affinity = -1;
    start(MODE_ACT);
    run(301, SILENCE);
    asked = domain(DISK)->asked;
    run(30, TALK);
    assert_int_equal(domain(DISK)->asked, asked);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

/* The guest had no vCPUs for long, then vCPUs with xl's choice, and then it ran. */
static void an_affinity_that_xl_chooses_late_has_no_owner(void **state)
{
    (void)state;
    domain(DISK)->nr_vcpus = 0;
    start(MODE_ACT);
    run(20, SILENCE);
    domain(DISK)->nr_vcpus = 1;
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    domain(DISK)->never_ran = true;
    run(5, SILENCE);
    domain(DISK)->never_ran = false;
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

static void an_affinity_set_before_the_start_has_no_owner(void **state)
{
    (void)state;
    domain(DISK)->never_ran = true;
    start(MODE_ACT);
    run(20, SILENCE);
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    run(5, SILENCE);
    domain(DISK)->never_ran = false;
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

static void half_a_node_was_not_picked_by_xl(void **state)
{
    (void)state;
    domain(DISK)->vcpus[0].soft = 0x8;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), 0x8));
}

/* It looks like xl's choice, but xl does not set it while a guest runs. */
static void a_node_set_while_we_look_is_the_operators(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(7, SILENCE);
    domain(DISK)->vcpus[0].soft = FAKE_NODE_1;
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_1));
}

static int hard_setup(void **state)
{
    setup(state);
    settings.policy_settings.lever = LEVER_HARD;

    return 0;
}

/* "Breaking affinity for d1v0": the pCPUs are gone, so Xen has set all pCPUs. */
static void a_hard_affinity_that_xen_broke_has_no_owner(void **state)
{
    (void)state;
    domain(0)->vcpus[0].hard = domain(0)->vcpus[1].hard = FAKE_NODE_1;
    start(MODE_ACT);
    run(20, TALK);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_NODE_1);
    domain(DISK)->vcpus[0].hard = FAKE_ALL;
    host.world->offline = FAKE_NODE_1;
    run(3, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(count_in_journal("\"operator\""), 0);
    host.world->offline = 0;
    run(60, TALK);
    assert_int_equal(domain(DISK)->vcpus[0].hard, FAKE_NODE_1);
}

/* xl's choice is not a whole node any more when the node gets another pCPU. */
static void a_pcpu_that_comes_makes_no_affinity_an_operators(void **state)
{
    (void)state;
    host.world->offline = 0x8;
    domain(DISK)->vcpus[0].soft = 0x4;
    start(MODE_ADVISE);
    run(400, SILENCE);
    assert_int_equal(core.domains.domain[DISK].affinity, AFFINITY_DEFAULT);
    host.world->offline = 0;
    run(3, SILENCE);
    assert_int_equal(core.domains.domain[DISK].affinity, AFFINITY_DEFAULT);
    core_set_mode(&core, MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

/* Xen resets the affinities of a domain that xl cpupool-migrate moves. */
static void a_guest_that_moves_to_another_pool_has_no_owner(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(20, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    domain(DISK)->pool = 1;
    domain(DISK)->vcpus[0].soft = FAKE_ALL;
    run(1, TALK);
    assert_int_equal(core.domains.domain[DISK].affinity, AFFINITY_DEFAULT);
    assert_int_equal(core.actuator.state.nr, 0);
    assert_int_equal(count_in_journal("\"operator\""), 0);
    run(20, TALK);
    assert_int_equal(core.moves, 2);
}

/* The same for an operator's affinity, because Xen has reset it as well. */
static void an_operators_affinity_ends_with_the_pool(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, SILENCE);
    domain(DISK)->vcpus[0].hard = FAKE_NODE_1;
    run(1, SILENCE);
    assert_int_equal(core.domains.domain[DISK].affinity, AFFINITY_OPERATOR);
    domain(DISK)->pool = 1;
    domain(DISK)->vcpus[0].hard = FAKE_ALL;
    run(1, SILENCE);
    assert_int_equal(core.domains.domain[DISK].affinity, AFFINITY_DEFAULT);
}

/* The operator sets the affinity that Xen gives by default. */
static void the_default_is_not_the_operators_for_good(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    domain(DISK)->vcpus[0].soft = FAKE_ALL;
    run(500, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    run(130, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(an_operators_move_stays),
        core_test(restoring_the_original_by_hand_is_in_the_journal),
        core_test(a_pcpu_that_goes_and_comes_moves_nothing),
        core_test(an_affinity_from_before_is_the_operators),
        core_test(a_hard_affinity_is_the_operators),
        core_test(an_affinity_that_xl_chose_has_no_owner),
        core_test(a_guest_seen_while_xl_builds_it_is_looked_up_again),
        core_test(a_guest_without_configuration_is_not_looked_up_for_ever),
        core_test(an_affinity_that_xl_chooses_late_has_no_owner),
        core_test(an_affinity_set_before_the_start_has_no_owner),
        core_test(half_a_node_was_not_picked_by_xl),
        core_test(a_node_set_while_we_look_is_the_operators),
        cmocka_unit_test_setup_teardown(a_hard_affinity_that_xen_broke_has_no_owner,
                                        hard_setup, teardown),
        core_test(a_pcpu_that_comes_makes_no_affinity_an_operators),
        core_test(a_guest_that_moves_to_another_pool_has_no_owner),
        core_test(an_operators_affinity_ends_with_the_pool),
        core_test(the_default_is_not_the_operators_for_good),
    };

    return run_tap_tests(tests);
}
