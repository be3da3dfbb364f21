/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of former policies: each is the part of placement that has its aim, several add up,
 * and the daemon can tell an operator which of them are to be replaced.  2 nodes of 4 cores.
 *
 * Fails if a configuration of a former release is refused or moves guests for a reason that
 * its operator did not choose.
 */
#include "cmocka-tap.h"
#include "model/domain.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL
#define MANY    20e6

static const char *const former[] = {
    "driver-affinity", "working-set", "balance", "cache"
};

#define NR_FORMER (sizeof(former) / sizeof(former[0]))

static unsigned int guest_on(unsigned int cpu, double use)
{
    unsigned int domid = world_guest(1, use);

    world.domains[domid].cpu = cpu;

    return domid;
}

static bool moves_to_dom0(void)
{
    unsigned int guest = guest_on(5, 0.3);

    world_talk(guest, 0, 1000);
    world_run(10);

    return world.domains[guest].sent == PLACE_0;
}

static bool moves_to_a_guest(void)
{
    unsigned int a = guest_on(0, 0.3), b = guest_on(5, 0.3);

    world_talk(a, b, 1000);
    world_run(10);

    return world.domains[a].moves || world.domains[b].moves;
}

/* Five guests that want all of a pCPU prefer four pCPUs. */
static bool leaves_a_crowd(void)
{
    unsigned int i;

    world.domains[0].hard = PLACE_0;
    for (i = 0; i < 5; i++)
        world.domains[guest_on(i % 4, 1.0)].soft = PLACE_0;
    world_warm_up();
    world_run(20);

    return world_moves();
}

static bool leaves_a_hungry_guest(void)
{
    unsigned int a = guest_on(0, 0.5), b = guest_on(1, 0.5);

    world.domains[a].misses = world.domains[b].misses = MANY;
    world_warm_up();
    world_run(20);

    return world_moves();
}

static void each_preset_has_its_aim_and_no_other(void **state)
{
    static const struct {
        bool (*moves)(void);
        bool expected[NR_FORMER];
    } aims[] = {
        { moves_to_dom0, { true, true, false, false } },
        { moves_to_a_guest, { false, true, false, false } },
        { leaves_a_crowd, { false, false, true, false } },
        { leaves_a_hungry_guest, { false, false, false, true } },
    };
    unsigned int i, k;

    (void)state;
    for (i = 0; i < sizeof(aims) / sizeof(*aims); i++)
        for (k = 0; k < NR_FORMER; k++) {
            bool moves;

            world_begin_nodes(former[k], &policy_defaults, 2, 4);
            moves = aims[i].moves();
            world_end();
            if (moves != aims[i].expected[k])
                fail_msg("aim %u with %s", i, former[k]);
        }
}

/* Whether a pair counts is a price: its notifications cross places all the same. */
static void a_move_is_judged_by_all_notifications(void **state)
{
    unsigned int i, first, bound;

    (void)state;
    world_begin_nodes("balance", &policy_defaults, 2, 4);
    world.real = true;
    world.domains[0].hard = PLACE_0;
    bound = guest_on(3, 0.1);
    world.domains[bound].operators = true;
    world.domains[bound].hard = PLACE_0;
    first = world.nr;
    for (i = 0; i < 5; i++)
        world_talk(guest_on(i % 4, 1.0), bound, 1000);
    for (i = first; i < world.nr; i++)
        world.domains[i].soft = PLACE_0;
    world_warm_up();
    world_run(120);
    assert_true(world_moves());
    for (i = first; i < world.nr; i++)
        assert_int_not_equal(world.domains[i].news, OUTCOME_REGRET);
    world_end();
}

static void several_presets_add_up(void **state)
{
    (void)state;
    world_begin_nodes("driver-affinity,balance", &policy_defaults, 2, 4);
    assert_true(moves_to_dom0());
    world_end();
    world_begin_nodes("driver-affinity,balance", &policy_defaults, 2, 4);
    assert_true(leaves_a_crowd());
    world_end();
    world_begin_nodes("driver-affinity,balance", &policy_defaults, 2, 4);
    assert_false(moves_to_a_guest());
    world_end();
}

static void names_of_former_policies_are_found(void **state)
{
    struct policies policies;
    char names[POLICIES_TEXT];

    (void)state;
    assert_true(policies_parse(&policies, "placement"));
    assert_false(policies_former(&policies, names));
    assert_true(policies_parse(&policies, "placement,cache,driver-affinity"));
    assert_true(policies_former(&policies, names));
    assert_string_equal(names, "cache, driver-affinity");
    assert_false(policies_parse(&policies, "cache,cache"));
    assert_false(policies_parse(&policies, "nearest"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_preset_has_its_aim_and_no_other),
        cmocka_unit_test(a_move_is_judged_by_all_notifications),
        cmocka_unit_test(several_presets_add_up),
        cmocka_unit_test(names_of_former_policies_are_found),
    };

    return run_tap_tests(tests);
}
