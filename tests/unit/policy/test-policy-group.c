/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests of a group are one unit, and each has an accounting domain of its own.
 * 2 sockets of 4 cores.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL
/* Notifications/s. */
#define ENOUGH_TO_STAY 100

static void begin(const char *policies)
{
    world_begin(policies, &policy_defaults, 2, 4, 1);
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

/* On the node that dom0 is not on. */
static unsigned int member(double use)
{
    unsigned int domid = world_guest(1, use);

    world.domains[domid].group = 1;
    world.domains[domid].cpu = 4 + domid % 4;

    return domid;
}

/* Bound by an operator. */
static unsigned int bound_to(uint64_t place)
{
    unsigned int domid = world_guest(1, 0.5);

    world.domains[domid].hard = place;
    world.domains[domid].operators = true;

    return domid;
}

/* Alone each talks too little. */
static void all_go_to_the_driver_domain_of_the_group(void **state)
{
    unsigned int a, b, alone;

    (void)state;
    begin("placement");
    a = member(0.2);
    b = member(0.2);
    alone = world_guest(1, 0.2);
    world.domains[alone].cpu = 7;
    world_talk(a, 0, 60);
    world_talk(b, 0, 60);
    world_talk(alone, 0, 60);
    world_warm_up();
    world_run(5);
    assert_int_equal(world.domains[a].sent, PLACE_0);
    assert_int_equal(world.domains[b].sent, PLACE_0);
    assert_int_equal(world.domains[alone].moves, 0);
    world_run(200);
    assert_int_equal(world_moves(), 2);
}

static void talk_inside_of_a_group_moves_no_guest(void **state)
{
    unsigned int a, b;

    (void)state;
    begin("placement");
    a = member(0.5);
    b = member(0.5);
    world_talk(a, b, 5000);
    world_warm_up();
    world_run(30);
    assert_int_equal(world_moves(), 0);
}

/* The group's own notifications keep no other guest from moving to the group's place. */
static void talk_inside_of_a_group_is_none_with_others(void **state)
{
    unsigned int a, b;

    (void)state;
    begin("placement");
    a = member(0.5);
    b = member(0.5);
    world_talk(a, b, 5000);
    world_talk(a, 0, 100);
    world_warm_up();
    world_run(5);
    assert_int_equal(world.domains[a].sent, PLACE_0);
    assert_int_equal(world.domains[b].sent, PLACE_0);
}

static void a_group_goes_as_a_whole_to_its_partner(void **state)
{
    unsigned int a, b, other;

    (void)state;
    begin("placement");
    a = member(0.5);
    b = member(0.5);
    other = bound_to(PLACE_1);
    world.domains[a].cpu = world.domains[b].cpu = 1;
    world_talk(b, other, 200);
    world_warm_up();
    world_run(5);
    assert_int_equal(world.domains[a].sent, PLACE_1);
    assert_int_equal(world.domains[b].sent, PLACE_1);
    world_run(200);
    assert_int_equal(world_moves(), 2);
}

static void a_guest_that_talks_to_a_group_comes_to_it(void **state)
{
    unsigned int a, b, other;

    (void)state;
    begin("placement");
    a = member(0.5);
    b = member(0.5);
    other = world_guest(1, 0.5);
    world.domains[other].cpu = 1;
    world_talk(a, other, 200);
    world_talk(b, other, 200);
    world_warm_up();
    world_run(30);
    assert_int_equal(world.domains[other].moves, 1);
    assert_int_equal(world.domains[other].sent, PLACE_1);
    assert_int_equal(world.domains[a].sent & PLACE_0, 0);
    assert_int_equal(world.domains[b].sent & PLACE_0, 0);
}

/* What is logged may be its as well, but it can't go anywhere. */
static void a_held_member_does_not_hold_back_the_others(void **state)
{
    unsigned int a, b, other;

    (void)state;
    begin("placement");
    a = member(0.5);
    b = member(0.5);
    world.domains[a].operators = true;
    other = bound_to(PLACE_1);
    world.domains[a].cpu = world.domains[b].cpu = 1;
    world_talk(b, other, 200);
    world_warm_up();
    world_run(5);
    assert_int_equal(world.domains[a].moves, 0);
    assert_int_equal(world.domains[b].sent, PLACE_1);
}

/* What one of them does is not counted for each: 3.6 of 5 cores. */
static void what_a_group_uses_is_counted_once(void **state)
{
    unsigned int k;

    (void)state;
    begin("placement");
    world.domains[0].hard = PLACE_0;
    for (k = 0; k < 4; k++)
        world_talk(member(0.7), 0, 100);
    world_warm_up();
    world_run(5);
    assert_int_equal(world_moves(), 4);
    for (k = 1; k <= 4; k++)
        assert_int_equal(world.domains[k].sent, PLACE_0);
}

/* Each of them fits, and so do all: not each of their vCPUs has a core. */
static void a_group_of_more_vcpus_than_cores_goes_if_there_is_room(void **state)
{
    unsigned int k;

    (void)state;
    begin("placement");
    for (k = 0; k < 6; k++)
        world_talk(member(0.2), 0, 100);
    world_warm_up();
    world_run(30);
    assert_int_equal(world_moves(), 6);
}

static void a_group_that_is_too_large_for_a_place_stays(void **state)
{
    unsigned int k;

    (void)state;
    begin("placement");
    for (k = 0; k < 6; k++)
        world_talk(member(0.9), 0, 100);
    world_warm_up();
    world_run(30);
    assert_int_equal(world_moves(), 0);
}

/* One of it was given back, or is new: it goes where the rest was sent. */
static void a_guest_apart_from_its_group_follows_it(void **state)
{
    unsigned int a, b, first;

    (void)state;
    for (first = 0; first < 2; first++) {
        if (first)
            world_end();
        begin("placement");
        a = member(0.3);
        b = member(0.3);
        world_talk(0, first ? a : b, 5000);
        world_run(30);
        assert_int_equal(world.domains[a].sent, PLACE_0);
        assert_int_equal(world.domains[b].sent, PLACE_0);
        world.domains[first ? a : b].ours = false;
        world.domains[first ? a : b].soft = world.all;
        world_run(30);
        assert_true(world.domains[a].ours);
        assert_true(world.domains[b].ours);
        assert_int_equal(world_moves(), 3);
    }
}

/* Two members of a group that communicates with dom0; both are moved to it. */
static void move_two_members(unsigned int *first, unsigned int *last)
{
    begin("placement");
    *first = member(0.3);
    *last = member(0.3);
    world_talk(*first, 0, 5000);
    world_run(30);
    assert_int_equal(world.domains[*first].sent, PLACE_0);
    assert_int_equal(world.domains[*last].sent, PLACE_0);
}

/* The rate is enough to stay, and too low to move. */
static void a_group_stays_where_one_member_was_sent(void **state)
{
    unsigned int members[2], first;

    (void)state;
    for (first = 0; first < 2; first++) {
        struct world_domain *d;

        if (first)
            world_end();
        move_two_members(&members[0], &members[1]);
        d = &world.domains[members[first]];
        d->ours = false;
        d->soft = world.all;
        world_talk(members[0], 0, ENOUGH_TO_STAY);
        world_run(120);
        assert_true(d->ours);
        assert_int_equal(d->sent, PLACE_0);
        assert_int_equal(world.domains[members[!first]].backs, 0);
    }
}

/* The daemon moved the first member only, and the last prefers the same place. */
static void a_group_takes_room_where_one_member_was_sent(void **state)
{
    unsigned int first, last, other;

    (void)state;
    move_two_members(&first, &last);
    world.domains[last].ours = false;
    world.domains[first].nr_vcpus = 2;
    world.domains[first].use = 1.7;
    world.domains[0].use = 0.4;
    world_talk(first, 0, 100000);
    other = world_guest(1, 0.9);
    world.domains[other].cpu = 5;
    world_talk(other, 0, 60000);
    world_warm_up();
    world_run(60);
    assert_int_equal(world.domains[other].moves, 0);
    world_says(other, "but it has no room");
}

/* A rule keeps the first member on the other node. */
static void a_group_goes_where_all_members_may_go(void **state)
{
    struct rules rules;
    unsigned int first, last;

    (void)state;
    assert_true(rules_parse(&rules, "name=guest-1: nodes=1"));
    world_begin_nodes("placement", &policy_defaults, 2, 4);
    world.rules = &rules;
    first = member(0.3);
    last = member(0.3);
    world.domains[first].cpu = world.domains[last].cpu = 5;
    world_talk(last, 0, 5000);
    world_run(30);
    assert_int_equal(world_moves(), 0);
}

/* Both cpupools have cores of both nodes; in one of them there is no room near dom0. */
static void a_group_in_two_cpupools_is_not_torn(void **state)
{
    unsigned int i, full, members[2];

    (void)state;
    for (i = 0; i < 2; i++) {
        const uint64_t half = 0xcc, rest = world.all & ~half;

        if (i)
            world_end();
        begin("placement");
        world.domains[0].pool = rest;
        world.domains[0].use = 0.1;
        full = world_guest(2, 1.8);
        world.domains[full].operators = true;
        world.domains[full].cpu = 2;
        world.domains[full].pool = half;
        world.domains[full].hard = world.domains[full].soft = 0xc;
        members[0] = member(0.3);
        members[1] = member(0.3);
        world.domains[members[i]].pool = half;
        world.domains[members[i]].cpu = 6;
        world.domains[members[!i]].pool = rest;
        world.domains[members[!i]].cpu = 5;
        world_talk(0, members[0], 5000);
        world_warm_up();
        world_run(20);
        assert_int_equal(world.domains[members[0]].moves,
                         world.domains[members[1]].moves);
    }
}

/* Those of another cpupool run on other cores of the same place. */
static void a_guest_in_another_cpupool_takes_no_room(void **state)
{
    const uint64_t half = 0xc;
    unsigned int other, guest;

    (void)state;
    begin("placement");
    world.domains[0].pool = world.all & ~half;
    world.domains[0].use = 0.1;
    other = world_guest(2, 1.8);
    world.domains[other].operators = true;
    world.domains[other].cpu = 2;
    world.domains[other].pool = world.domains[other].hard =
        world.domains[other].soft = half;
    guest = world_guest(1, 0.3);
    world.domains[guest].pool = world.all & ~half;
    world.domains[guest].cpu = 5;
    world_talk(0, guest, 5000);
    world_warm_up();
    world_run(20);
    assert_int_equal(world.domains[guest].moves, 1);
}

/* A guest, and the domain that emulates its devices, whose disks are dom0's. */
static void make_stub(unsigned int *guest, unsigned int *stub)
{
    *guest = world_guest(2, 0.3);
    *stub = world_guest(1, 0.2);
    world.domains[*stub].stub_of = *guest;
    world.domains[*guest].cpu = 5;
    world.domains[*stub].cpu = 6;
    world_talk(*guest, *stub, 4000);
    world_talk(*stub, 0, 7000);
}

static void a_device_model_goes_where_its_guest_goes(void **state)
{
    unsigned int guest, stub;

    (void)state;
    begin("placement");
    make_stub(&guest, &stub);
    world_warm_up();
    world_run(20);
    assert_int_equal(world.domains[guest].sent, PLACE_0);
    assert_int_equal(world.domains[stub].sent, PLACE_0);
    world_says(stub, "it goes with guest-1, whose device model it is");
    world_run(100);
    assert_int_equal(world_moves(), 2);
    /* What it did ceases: both are given back. */
    world_talk(stub, 0, 0);
    world_talk(guest, stub, 0);
    world_run(100);
    assert_int_equal(world.domains[guest].backs, 1);
    assert_int_equal(world.domains[stub].backs, 1);
}

static void they_go_together_or_not_at_all(void **state)
{
    unsigned int guest, stub, busy;

    (void)state;
    begin("placement");
    make_stub(&guest, &stub);
    world.domains[stub].operators = true;
    world_warm_up();
    world_run(20);
    assert_int_equal(world_moves(), 0);
    world_says(guest, "its device model guest-2 stays where it is");
    world_end();

    /* There is room for the one, and not for both. */
    begin("placement");
    make_stub(&guest, &stub);
    world.domains[stub].use = 0.9;
    busy = bound_to(PLACE_0);
    world.domains[busy].nr_vcpus = 3;
    world.domains[busy].use = 2.3;
    world_warm_up();
    world_run(20);
    assert_int_equal(world_moves(), 0);
    world_says(guest, "has no room");
}

/* A hungry domain on its place drives a hungry guest away, and no device model. */
static void a_device_model_stays_with_a_guest_that_stays(void **state)
{
    unsigned int guest, stub, hungry;

    (void)state;
    begin("placement");
    make_stub(&guest, &stub);
    world_talk(guest, stub, 0);
    world_talk(stub, 0, 0);
    world.domains[guest].operators = true;
    world.domains[guest].hard = PLACE_1;
    hungry = bound_to(PLACE_1);
    world.domains[hungry].misses = world.domains[stub].misses = 20e6;
    world_warm_up();
    world_run(20);
    assert_int_equal(world_moves(), 0);
    world_says(stub, "it goes with guest-1, whose device model it is");
}

/* The log has the notifications of the device model under its own number. */
static void a_guest_without_a_number_goes_where_its_device_model_has_to(void **state)
{
    unsigned int guest, stub;

    (void)state;
    begin("placement");
    make_stub(&guest, &stub);
    world.domains[guest].unnumbered = true;
    world_warm_up();
    world_run(20);
    assert_int_equal(world.domains[guest].sent, PLACE_0);
    assert_int_equal(world.domains[stub].sent, PLACE_0);
}

static void a_guest_without_a_number_goes_with_its_group(void **state)
{
    unsigned int a, b;

    (void)state;
    begin("placement");
    a = member(0.2);
    b = member(0.2);
    world.domains[b].unnumbered = true;
    world_talk(a, 0, 5000);
    world_warm_up();
    world_run(20);
    assert_int_equal(world.domains[a].sent, PLACE_0);
    assert_int_equal(world.domains[b].sent, PLACE_0);
    world_run(100);
    assert_int_equal(world_moves(), 2);
}

#define group_test(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        group_test(all_go_to_the_driver_domain_of_the_group),
        group_test(talk_inside_of_a_group_moves_no_guest),
        group_test(talk_inside_of_a_group_is_none_with_others),
        group_test(a_group_goes_as_a_whole_to_its_partner),
        group_test(a_guest_that_talks_to_a_group_comes_to_it),
        group_test(a_held_member_does_not_hold_back_the_others),
        group_test(what_a_group_uses_is_counted_once),
        group_test(a_group_of_more_vcpus_than_cores_goes_if_there_is_room),
        group_test(a_group_that_is_too_large_for_a_place_stays),
        group_test(a_guest_apart_from_its_group_follows_it),
        group_test(a_group_stays_where_one_member_was_sent),
        group_test(a_group_takes_room_where_one_member_was_sent),
        group_test(a_group_goes_where_all_members_may_go),
        group_test(a_group_in_two_cpupools_is_not_torn),
        group_test(a_guest_in_another_cpupool_takes_no_room),
        group_test(a_device_model_goes_where_its_guest_goes),
        group_test(they_go_together_or_not_at_all),
        group_test(a_device_model_stays_with_a_guest_that_stays),
        group_test(a_guest_without_a_number_goes_where_its_device_model_has_to),
        group_test(a_guest_without_a_number_goes_with_its_group),
    };

    return run_tap_tests(tests);
}
