/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy working-set: guests that talk to each other come together, as
 * long as there is room for them; and how it goes with driver-affinity.
 * 2 sockets of 4 cores.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

static void begin(const char *policies)
{
    world_begin(policies, &policy_defaults, 2, 4, 1);
}

static int setup(void **state)
{
    (void)state;
    begin("working-set");

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static unsigned int at(unsigned int domid)
{
    return world_place(world.domains[domid].soft);
}

static bool together(unsigned int a, unsigned int b)
{
    return at(a) == at(b) && at(a) != TOPOLOGY_UNKNOWN;
}

static void a_pair_that_talks_comes_together(void **state)
{
    unsigned int a = world_guest(1, 0.5), b = world_guest(1, 0.5);
    unsigned int idle = world_guest(1, 0.5);

    (void)state;
    world_talk(a, b, 1000);
    world_run(5);
    assert_true(together(a, b));
    assert_int_equal(world.domains[idle].moves, 0);
    assert_string_equal(world.domains[a].decision.policy, "working-set");
    world_says(a, "100 % of its");
    world_says(a, "are with guest-2");
    world_says(a, "all of them, which need 1.0 cores");
    world_says(idle, "it talks little");
    world_run(200);
    assert_int_equal(world.domains[a].moves + world.domains[b].moves, 2);
}

static void pairs_share_a_place_if_there_is_room(void **state)
{
    unsigned int a = world_guest(1, 0.9), b = world_guest(1, 0.9);
    unsigned int c = world_guest(1, 0.9), d = world_guest(1, 0.9);
    unsigned int e = world_guest(1, 0.9), f = world_guest(1, 0.9);

    (void)state;
    world_talk(a, b, 1000);
    world_talk(c, d, 800);
    world_talk(e, f, 600);
    world_run(10);
    assert_true(together(a, b));
    assert_true(together(c, d));
    assert_true(together(e, f));
    /* All six need 5.4 of 4 cores. */
    assert_false(together(a, c) && together(a, e));
}

static void guests_that_talk_little_with_each_other_are_two_gangs(void **state)
{
    unsigned int a[4], b[4], i, k;

    (void)state;
    for (i = 0; i < 4; i++) {
        a[i] = world_guest(1, 0.8);
        b[i] = world_guest(1, 0.8);
    }
    for (i = 0; i < 4; i++)
        for (k = 0; k < i; k++) {
            world_talk(a[i], a[k], 300);
            world_talk(b[i], b[k], 300);
        }
    world_talk(a[0], b[0], 200);
    world_run(10);
    for (i = 1; i < 4; i++) {
        assert_true(together(a[0], a[i]));
        assert_true(together(b[0], b[i]));
    }
    assert_false(together(a[0], b[0]));
    world_says(a[1], "a gang of which it talks most to");
}

/* 6 guests, each of which talks to each other one, and keeps a pCPU busy. */
static void a_gang_that_is_too_large_is_not_forced(void **state)
{
    unsigned int i, k, there[2] = { 0 };

    (void)state;
    for (i = 0; i < 6; i++)
        for (world_guest(1, 1.0), k = 1; k <= i; k++)
            world_talk(i + 1, k, 200);
    world_warm_up();
    world_run(120);
    for (i = 1; i <= 6; i++)
        if (at(i) != TOPOLOGY_UNKNOWN)
            there[at(i)]++;
    assert_in_range(there[0], 0, 4);
    assert_in_range(there[1], 0, 4);
    /* The part of it which fits comes together all the same. */
    assert_int_equal(there[0] > there[1] ? there[0] : there[1], 4);
}

/* For any policy: 0.5 of dom0 and four times 1.0 is what 4 cores take. */
static void a_place_that_is_full_takes_no_guest(void **state)
{
    unsigned int i, there = 0;

    (void)state;
    world_end();
    begin("driver-affinity");
    world.domains[0].use = 0.5;
    for (i = 1; i <= 6; i++)
        world_talk(world_guest(1, 0.6), 0, 1000);
    /* No more than there are cores where they begin. */
    for (i = 1; i <= 6; i++)
        world.domains[i].cpu = i % 8;
    world_warm_up();
    world_run(60);
    for (i = 1; i <= 6; i++)
        there += at(i) == 0;
    assert_int_equal(there, 4);
    world_says(6, "socket 0 has no room: of its 4 cores guest-1 needs 0.6, all "
               "that are bound there 2.9; it needs 0.6 itself");
}

static void it_goes_to_a_partner_that_cannot_be_moved(void **state)
{
    unsigned int a = world_guest(1, 0.5), pinned = world_guest(1, 0.5);

    (void)state;
    world.domains[pinned].operators = true;
    world.domains[pinned].hard = 0xf0;
    world_talk(a, pinned, 1000);
    world_run(5);
    assert_int_equal(at(a), 1);
    assert_int_equal(world.domains[pinned].moves, 0);
    world_says(a, "are with domains on socket 1");
}

static void cpupools_are_no_gang(void **state)
{
    unsigned int a = world_guest(1, 0.5), b = world_guest(1, 0.5);

    (void)state;
    world.domains[a].pool = 0x0f;
    world.domains[b].pool = 0xf0;
    world_talk(a, b, 1000);
    world_run(20);
    assert_int_equal(world.domains[a].moves + world.domains[b].moves, 0);
}

static void the_first_policy_that_wants_something_decides(void **state)
{
    unsigned int disk, peer, other;

    (void)state;
    world_end();
    begin("driver-affinity,working-set");
    disk = world_guest(1, 0.5);
    peer = world_guest(1, 0.5);
    other = world_guest(1, 0.5);
    world_talk(disk, 0, 2000);
    world_talk(peer, disk, 500);
    world_run(5);
    /* One goes to dom0, the other to who went there. */
    assert_int_equal(at(disk), 0);
    assert_string_equal(world.domains[disk].decision.policy,
                        "driver-affinity");
    assert_int_equal(at(peer), 0);
    assert_string_equal(world.domains[peer].decision.policy, "working-set");
    assert_null(world.domains[other].decision.policy);
    world_says(other, "driver-affinity: it talks little");
    world_says(other, "; working-set: it talks little");
}

static void the_order_makes_a_difference(void **state)
{
    static const char *const orders[] = {
        "driver-affinity,working-set", "working-set,driver-affinity"
    };
    struct policy_settings settings = policy_defaults;
    unsigned int i, torn, pinned;

    (void)state;
    settings.share = 0.4;
    for (i = 0; i < 2; i++) {
        world_end();
        world_begin(orders[i], &settings, 2, 4, 1);
        torn = world_guest(1, 0.5);
        pinned = world_guest(1, 0.5);
        world.domains[pinned].operators = true;
        world.domains[pinned].hard = 0xf0;
        world_talk(torn, 0, 1000);
        world_talk(torn, pinned, 1100);
        world_run(30);
        assert_int_equal(at(torn), i);
        assert_int_equal(world.domains[torn].moves, 1);
    }
}

/* It would go to and fro as its friend's friends have more or less to say. */
static void a_follower_of_a_guest_that_stays_stays(void **state)
{
    unsigned int torn = world_guest(1, 0.5), friend = world_guest(1, 0.5);
    unsigned int place;

    (void)state;
    world.domains[torn].cpu = 1;
    for (place = 0; place < 2; place++) {
        unsigned int pinned = world_guest(1, 0.5);

        world.domains[pinned].operators = true;
        world.domains[pinned].hard = place ? 0xf0 : 0x0f;
        world_talk(torn, pinned, 1000);
    }
    world_talk(torn, friend, 100);
    world_warm_up();
    world_run(30);
    assert_int_equal(world.domains[torn].moves, 0);
    assert_int_equal(world.domains[friend].moves, 0);
}

static void noise_moves_no_guest_back_and_forth(void **state)
{
    unsigned int guests[8], i;

    (void)state;
    for (i = 0; i < 8; i++)
        guests[i] = world_guest(1, 0.7);
    /* A ring, which can be cut in many ways that are equally good. */
    for (i = 0; i < 8; i++)
        world_talk(guests[i], guests[(i + 1) % 8], 400);
    world.noise = 0.3;
    world_run(300);
    for (i = 0; i < 8; i++)
        assert_in_range(world.domains[guests[i]].moves, 0, 1);
}

#define set_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        set_test(a_pair_that_talks_comes_together),
        set_test(pairs_share_a_place_if_there_is_room),
        set_test(guests_that_talk_little_with_each_other_are_two_gangs),
        set_test(a_gang_that_is_too_large_is_not_forced),
        set_test(a_place_that_is_full_takes_no_guest),
        set_test(it_goes_to_a_partner_that_cannot_be_moved),
        set_test(cpupools_are_no_gang),
        set_test(the_first_policy_that_wants_something_decides),
        set_test(the_order_makes_a_difference),
        set_test(a_follower_of_a_guest_that_stays_stays),
        set_test(noise_moves_no_guest_back_and_forth),
    };

    return run_tap_tests(tests);
}
