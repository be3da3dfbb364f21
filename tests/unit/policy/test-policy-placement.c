/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests the policy placement: prices serve the aims of former policies, memory
 * elsewhere keeps a guest where it is unless a move pays, a move that does not
 * help is not repeated, and a load that stays the same moves no guest.
 * 2 nodes of 4 cores.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL
#define MANY    20e6

static void begin(void)
{
    world_begin_nodes("placement", &policy_defaults, 2, 4);
}

static int setup(void **state)
{
    (void)state;
    begin();

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static unsigned int guest_on(unsigned int cpu, double use)
{
    unsigned int domid = world_guest(1, use);

    world.domains[domid].cpu = cpu;

    return domid;
}

/* By xl's choice. */
static unsigned int guest_at(uint64_t place, double use)
{
    unsigned int domid = guest_on(place == PLACE_0 ? 0 : 4, use);

    world.domains[domid].soft = place;

    return domid;
}

static unsigned int pinned_with(uint64_t place, double use)
{
    unsigned int domid = guest_on(place == PLACE_0 ? 0 : 4, use);

    world.domains[domid].hard = place;
    world.domains[domid].operators = true;

    return domid;
}

static unsigned int pinned_to(uint64_t place)
{
    return pinned_with(place, 0.5);
}

static uint64_t sent(unsigned int domid)
{
    return world.domains[domid].sent;
}

/* Talk. */

static void who_talks_to_dom0_goes_to_it(void **state)
{
    unsigned int busy = guest_on(5, 0.5), idle = guest_on(6, 0.5);

    (void)state;
    world_talk(busy, 0, 1000);
    world_talk(idle, 0, 20);
    world_run(8);
    assert_int_equal(sent(busy), PLACE_0);
    assert_int_equal(world.domains[idle].moves, 0);
    world_run(200);
    assert_int_equal(world_moves(), 1);
}

static void the_reason_has_prices(void **state)
{
    unsigned int busy = guest_on(5, 0.5), i;

    (void)state;
    world_talk(busy, 0, 1000);
    world_warm_up();
    for (i = 0; i < 10 && !world.domains[busy].moves; i++)
        world_run(1);
    world_says(busy, "to node 0 (pCPUs 0-3): saves 4.4");
    world_says(busy, " notifications/s with Domain-0 cross nodes by 100 % now, "
               "by 0 % then");
    world_says(busy, "costs 0.04 ms/s (to fill caches, within 60 s)");
    world_says(busy, "expected gain 4.");
    world_says(busy, "least gain 1.");
}

/* Else a reader sees a sentence that ends inside a word. */
static void a_long_reason_is_whole(void **state)
{
    unsigned int guest = guest_at(PLACE_0, 0.9), i;
    struct world_domain *d = &world.domains[guest];

    (void)state;
    world_talk(guest, pinned_with(PLACE_0, 0.9), 12345);
    for (i = 0; i < 3; i++)
        world_talk(guest, pinned_with(PLACE_0, 0.9), 10000);
    for (i = 0; i < 8; i++)
        world.domains[pinned_with(PLACE_1, 0.9)].misses = MANY;
    d->misses = MANY;
    d->memory = 10;
    world_warm_up();
    world_run(3);
    world_says(guest, "of its memory is on node 0");
    world_says(guest, "runnable vCPUs with it on 4 cores of node 1)");
    world_says(guest, "(to fill caches, within 60 s), gain -");
}

static void a_gang_comes_together(void **state)
{
    unsigned int a = guest_on(0, 0.5), b = guest_on(5, 0.5);
    unsigned int c = guest_on(6, 0.5);

    (void)state;
    world_talk(a, b, 2000);
    world_talk(b, c, 2000);
    world_talk(a, c, 2000);
    world_run(10);
    assert_int_not_equal(sent(a), 0);
    assert_int_equal(sent(a), sent(b));
    assert_int_equal(sent(a), sent(c));
    world_run(200);
    assert_int_equal(world_moves(), 3);
}

static void a_guest_goes_to_a_partner_that_cannot_be_moved(void **state)
{
    unsigned int a = guest_on(0, 0.5);

    (void)state;
    world_talk(a, pinned_to(PLACE_1), 1000);
    world_run(8);
    assert_int_equal(sent(a), PLACE_1);
}

static void a_guest_that_talks_to_both_nodes_equally_stays(void **state)
{
    unsigned int a = guest_on(0, 0.5);

    (void)state;
    world_talk(a, pinned_to(PLACE_0), 1000);
    world_talk(a, pinned_to(PLACE_1), 1000);
    world.noise = 0.3;
    world_warm_up();
    world_run(200);
    assert_in_range(world.domains[a].moves, 0, 1);
}

static void near_a_driver_domain_of_both_nodes_is_nowhere(void **state)
{
    unsigned int a = guest_on(5, 0.5);

    (void)state;
    world.domains[0].nr_vcpus = 2;
    world.domains[0].hard = world.all;
    world.domains[0].use = 0;
    world_talk(a, 0, 1000);
    world_run(30);
    /* It is where its vCPUs were seen, and both on one pCPU in this world. */
    assert_in_range(world.domains[a].moves, 0, 1);
}

/* dom0 has a vCPU on each node: what counts is which one takes its requests. */
static void near_a_driver_domain_of_both_nodes_is_where_it_serves(void **state)
{
    unsigned int a = guest_on(5, 0.5), b = guest_on(0, 0.5);
    unsigned int c = guest_on(6, 0.5);

    (void)state;
    world.domains[0].use = 0.2;
    world.domains[a].served_by = 1U << 0;
    world.domains[b].served_by = 1U << 1;
    world.domains[c].served_by = 1U << 0 | 1U << 1;
    world_talk(a, 0, 1000);
    world_talk(b, 0, 1000);
    world_talk(c, 0, 1000);
    world_warm_up();
    world_run(1);
    world_says(a, " notifications/s with vCPU 0 of Domain-0 cross nodes by "
               "100 % now, by 0 % then");
    world_says(b, " with vCPU 1 of Domain-0 cross nodes by 100 % now");
    world_run(200);
    assert_int_equal(sent(a), PLACE_0);
    assert_int_equal(sent(b), PLACE_1);
    /* Half and half: either is as good. */
    assert_int_equal(world.domains[c].moves, 0);
    /* And what was predicted came. */
    assert_int_equal(world_moves(), 2);
    assert_int_equal(world.domains[a].backs + world.domains[b].backs, 0);
    world_says(a, "this location is worth");
}

static void a_group_goes_as_one(void **state)
{
    unsigned int a = guest_on(5, 0.5), b = guest_on(6, 0.5);

    (void)state;
    world.domains[a].group = world.domains[b].group = 1;
    world_talk(b, 0, 1000);
    world_run(8);
    assert_int_equal(sent(a), PLACE_0);
    assert_int_equal(sent(b), PLACE_0);
}

static void a_guest_wider_than_a_node_stays_and_says_so(void **state)
{
    unsigned int wide = world_guest(6, 2), half = world_guest(3, 1);

    (void)state;
    world_talk(wide, 0, 10000);
    world.domains[half].pool = PLACE_0;
    world_run(20);
    assert_int_equal(world.domains[wide].moves, 0);
    world_says(wide, "no node has enough cores: it has 6 vCPUs, and may use at most 4");
    world_says(half, "there is no other node with as many cores");
}

/* Waiting. */

static void the_guest_with_least_to_lose_leaves_a_crowd(void **state)
{
    unsigned int domid, lonely, i;

    (void)state;
    world.domains[0].hard = PLACE_0;
    for (i = 0; i < 4; i++)
        world_talk(guest_at(PLACE_0, 1.0), 0, 1000);
    lonely = guest_at(PLACE_0, 1.0);
    world_warm_up();
    world_run(20);
    assert_int_equal(sent(lonely), PLACE_1);
    assert_int_equal(world_moves(), 1);
    world_says(lonely, "this location is worth");
    for (domid = 1; domid < world.nr; domid++)
        world.domains[domid].use = 0.2;
    world_run(100);
    assert_int_equal(world.domains[lonely].backs, 1);
}

/*
 * Five busy vCPUs on four cores of two threads: two of them share a core and lose 0.85 s/s, and
 * no vCPU waits.  The fifth goes to an idle node if dom0 is worth less than that.
 */
static void threads_of_a_core_are_no_cores(void **state)
{
    static const double worth[] = { 0.5, 0.9 }; /* s/s */
    unsigned int i, k, last;

    for (k = 0; k < 2; k++) {
        teardown(state);
        world_begin("placement", &policy_defaults, 2, 4, 2);
        world.domains[0].use = 0;
        for (i = 0; i < 5; i++) {
            last = guest_on(i, 1.0);
            world.domains[last].soft = 0xff;
            world_talk(last, 0, i < 4 ? 1e6 : worth[k] * 1e9 / (66 * 87));
        }
        world_warm_up();
        world_run(1);
        world_says(last, "saves 850.00 ms/s (5.0 runnable vCPUs with it on 4 cores of socket 0)");
        world_run(20);
        assert_int_equal(world_moves(), !k);
        assert_int_equal(sent(last), k ? 0 : 0xff00);
    }
}

static void a_full_place_is_no_crowd(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 4; i++)
        guest_at(PLACE_0, 1.0);
    world_warm_up();
    world_run(60);
    assert_int_equal(world_moves(), 0);
}

static void no_guest_goes_where_there_is_no_room(void **state)
{
    unsigned int i, there = 0;

    (void)state;
    world.domains[0].use = 0.5;
    for (i = 0; i < 6; i++)
        world_talk(guest_on(4 + i % 4, 0.6), 0, 1000);
    world_warm_up();
    world_run(60);
    for (i = 1; i <= 6; i++)
        there += sent(i) == PLACE_0;
    /* 0.5 and four times 0.6 of 4 cores. */
    assert_int_equal(there, 4);
}

/* Cache. */

static void hungry_guests_do_not_share_a_cache(void **state)
{
    unsigned int a = guest_on(0, 0.5), b = guest_on(1, 0.5);

    (void)state;
    world.domains[a].misses = MANY;
    world.domains[b].misses = 2 * MANY;
    world_warm_up();
    world_run(10);
    assert_int_equal(world_moves() > 0, 1);
    assert_int_not_equal(sent(a), sent(b));
    world_run(200);
    assert_in_range(world_moves(), 1, 2);
}

/* Memory. */

/* 1 million misses/s, 60 ns more each: 60 ms/s for what the talk is worth. */
static void a_guest_with_memory_elsewhere_stays_unless_it_pays(void **state)
{
    static const struct {
        double rate;
        bool goes;
    } cases[] = { { 5000, false }, { 20000, true } };
    unsigned int i, domid;

    for (i = 0; i < 2; i++) {
        teardown(state);
        begin();
        domid = guest_at(PLACE_1, 1.0);
        world.domains[domid].memory = 1000;
        world.domains[domid].on_1 = 100;
        world_talk(domid, 0, cases[i].rate);
        world_warm_up();
        world_run(1);
        world_says(domid, cases[i].goes ? "saves 118." : "saves 29.");
        world_says(domid, "costs 60.0");
        world_says(domid, "100 % of its memory is on node 1, 1.00 million "
                   "misses/s, assumed");
        world_run(20);
        assert_int_equal(sent(domid), cases[i].goes ? PLACE_0 : 0);
    }
}

/* As an operator has set it: a hundredth of the misses, and the same talk pays. */
static void what_misses_are_assumed_can_be_set(void **state)
{
    struct policy_settings few = policy_defaults;
    unsigned int domid;

    teardown(state);
    few.misses = 0.00001;
    world_begin_nodes("placement", &few, 2, 4);
    domid = guest_at(PLACE_1, 1.0);
    world.domains[domid].memory = 1000;
    world.domains[domid].on_1 = 100;
    world_talk(domid, 0, 5000);
    world_warm_up();
    world_run(1);
    world_says(domid, "costs 0.60");
    world_says(domid, "0.01 million misses/s, assumed");
    world_run(20);
    assert_int_equal(sent(domid), PLACE_0);
}

/*
 * Apart, dom0 finds several requests each time that it runs.  Near it they wake it up one
 * by one: where that costs more than distance does, the guest stays away.
 */
static void wake_ups_that_nearness_adds_count(void **state)
{
    static const struct {
        double wakes; /* of both, per second, of 2,500 notifications to each */
        bool goes;
    } cases[] = { { 250, false }, { 1500, true }, { 2500, true }, { 0, true } };
    unsigned int i, domid;

    for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        teardown(state);
        begin();
        world.domains[0].use = 0.3;
        domid = guest_at(PLACE_1, 0.4);
        world_talk(domid, 0, 5000);
        world.domains[0].wakes = world.domains[domid].wakes = cases[i].wakes;
        world_warm_up();
        world_run(1);
        if (cases[i].wakes == 250)
            world_says(domid, " wake-ups/s more)");
        world_run(20);
        assert_int_equal(sent(domid), cases[i].goes ? PLACE_0 : 0);
    }
}

/*
 * Beside dom0 and others it wakes up on another pCPU most of the time, and fetches its
 * lines again: that costs more than distance does.  It has room there.
 */
static void migrations_in_a_crowd_count(void **state)
{
    static const double migrations[] = { 1000, 0 };
    unsigned int i, k, domid;

    for (i = 0; i < 2; i++) {
        teardown(state);
        begin();
        world.domains[0].use = 0.3;
        for (k = 0; k < 4; k++)
            pinned_with(PLACE_0, 0.6);
        pinned_with(PLACE_1, 0.4);
        domid = guest_at(PLACE_1, 0.1);
        world_talk(domid, 0, 2000);
        world.domains[domid].wakes = 10000;
        world.domains[domid].migrations = migrations[i];
        world_warm_up();
        world_run(1);
        if (!i)
            world_says(domid, "beside others its vCPUs move between pCPUs, now 1000/s");
        world_run(20);
        assert_int_equal(sent(domid), i ? PLACE_0 : 0);
    }
}

/* Feedback. */

/* The most moves of guest @a in a minute, of @seconds; its partner moves every 5 s. */
static unsigned int follow(unsigned int a, unsigned int partner,
                           unsigned int seconds)
{
    unsigned int at[3600] = { 0 }, second, i, most = 0;

    for (second = 0; second < seconds; second++) {
        uint64_t place = second / 5 % 2 ? PLACE_0 : PLACE_1;
        unsigned int before = world.domains[a].moves, moves = 0;

        world.domains[partner].hard = place;
        world.domains[partner].cpu = place == PLACE_0 ? 1 : 5;
        world_run(1);
        at[second] = world.domains[a].moves - before;
        for (i = 0; i < 60 && i <= second; i++)
            moves += at[second - i];
        if (moves > most)
            most = moves;
    }

    return most;
}

/* What made ESXi thrash; whether they are together at first, or not. */
static void a_partner_that_moves_is_not_followed_for_long(void **state)
{
    static const struct {
        unsigned int cpu, seconds;
    } begins[] = { { 0, 3600 }, { 5, 1200 } };
    unsigned int i;

    for (i = 0; i < 2; i++) {
        unsigned int a, partner;

        teardown(state);
        begin();
        world.real = true;
        a = guest_on(begins[i].cpu, 0.4);
        partner = pinned_to(PLACE_1);
        world_talk(a, partner, 2000);
        assert_int_equal(follow(a, partner, begins[i].seconds), 1);
        assert_in_range(world.domains[a].moves, 1, 2);
        assert_int_equal(world.domains[a].backs, world.domains[a].moves);
    }
}

static void a_move_that_helps_is_not_regretted(void **state)
{
    unsigned int a = guest_on(5, 0.4);

    (void)state;
    world.real = true;
    world_talk(a, 0, 1000);
    world_run(120);
    assert_int_equal(world.domains[a].moves, 1);
    assert_int_equal(world.domains[a].backs, 0);
    assert_int_equal(world.domains[a].news, OUTCOME_GOOD);
}

/* An hour of the same load, which goes up and down by 30 %. */
static void noise_moves_no_guest_after_the_first_minute(void **state)
{
    unsigned int i, k, moves;

    (void)state;
    world.noise = 0.3;
    world.domains[0].use = 0.5;
    for (i = 0; i < 10; i++)
        guest_on(i % 8, 0.1 + 0.05 * i);
    for (i = 1; i < world.nr; i++)
        for (k = 0; k < 3; k++)
            world_talk(i, (i * 7 + k * 3) % world.nr, 50U << (i + k) % 6);
    for (i = 0; i < world.nr; i++)
        world.domains[i].talk[i] = 0;
    world_run(60);
    moves = world_moves();
    world_run(3540);
    assert_int_equal(world_moves(), moves);
    assert_true(moves > 0);
}

/* 3 vCPUs that want all of a pCPU for each core. */
static void three_times_too_many_are_left_where_they_are(void **state)
{
    unsigned int i;
    double least = 1;

    teardown(state);
    world_begin("placement", &policy_defaults, 2, 4, 2);
    world.noise = 0.1;
    for (i = 0; i < 24; i++) {
        guest_on(i % 2 * 8 + i / 2 % 8, 1.0);
        world_talk(i + 1, 0, 500);
    }
    world_warm_up();
    world_run(120);
    /* Each of 24 vCPUs gets a third of a core on 8 cores: none less than 98 % of that. */
    for (i = 0; i < 2; i++)
        if (4 / world_units(i) < least)
            least = 4 / world_units(i);
    assert_true(least >= 0.98 / 3);
}

static void goes_where_another_left(const struct decision *decision)
{
    if (decision->domid == 2 && decision->verb == MOVE)
        assert_int_equal(world_place(1ULL << world.domains[1].cpu), 1);
}

/* Its own loss is confirmed as a gain is, so both go in one plan, and no core is missing. */
static void a_guest_makes_room_for_one_that_gains_more(void **state)
{
    (void)state;
    world.domains[0].use = 0.5;
    world.domains[guest_on(5, 1.6)].nr_vcpus = 2;
    world_talk(1, 0, 2000);
    world_warm_up();
    world_run(60);
    assert_int_equal(world.domains[1].sent, PLACE_0);
    world.domains[guest_on(6, 2.2)].nr_vcpus = 2;
    world_talk(2, 0, 20000);
    world_warm_up();
    world.check = goes_where_another_left;
    world_run(60);
    assert_int_equal(world.domains[2].sent, PLACE_0);
}

#define placement_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Three guests that keep to node 0 need 2.4 of its 4 cores, with 6 vCPUs. */
static void crowd_node_0(double queues, double idled)
{
    unsigned int i, busy;

    for (i = 0; i < 3; i++) {
        busy = world_guest(2, 0.8);
        world.domains[busy].operators = true;
        world.domains[busy].hard = PLACE_0;
        world.domains[busy].queues = queues / 3;
        world.domains[busy].idled = idled;
    }
}

/*
 * 7000 notifications/s cost 42 ms/s between nodes.  By chance, vCPUs wait 79 ms/s longer with
 * one vCPU more at node 0; whether they do depends on how they take turns.  A vCPU that waits
 * while its pCPU wakes up does not queue.
 */
static void guests_do_not_go_where_they_would_queue(void **state)
{
    static const struct { double queues, idled; bool goes; } cases[] = {
        { 0, 0, true }, { 0.06, 1, true }, { 0.06, 0, false },
    };
    unsigned int i, guest;

    (void)state;
    for (i = 0; i < 3; i++) {
        world_end();
        begin();
        crowd_node_0(cases[i].queues, cases[i].idled);
        guest = guest_at(PLACE_1, 0.4);
        world_warm_up();
        world_run(60);
        world_talk(guest, 0, 7000);
        world_run(60);
        assert_int_equal(world.domains[guest].moves, cases[i].goes);
    }
    world_says(guest, "by chance more than 4 vCPUs are runnable on the pCPUs of node 0, in the "
                      "mean 2.5; 100 % of such waits are counted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        placement_test(who_talks_to_dom0_goes_to_it),
        placement_test(guests_do_not_go_where_they_would_queue),
        placement_test(the_reason_has_prices),
        placement_test(a_long_reason_is_whole),
        placement_test(a_gang_comes_together),
        placement_test(a_guest_goes_to_a_partner_that_cannot_be_moved),
        placement_test(a_guest_that_talks_to_both_nodes_equally_stays),
        placement_test(near_a_driver_domain_of_both_nodes_is_nowhere),
        placement_test(near_a_driver_domain_of_both_nodes_is_where_it_serves),
        placement_test(a_group_goes_as_one),
        placement_test(a_guest_wider_than_a_node_stays_and_says_so),
        placement_test(the_guest_with_least_to_lose_leaves_a_crowd),
        placement_test(threads_of_a_core_are_no_cores),
        placement_test(a_full_place_is_no_crowd),
        placement_test(no_guest_goes_where_there_is_no_room),
        placement_test(hungry_guests_do_not_share_a_cache),
        placement_test(a_guest_with_memory_elsewhere_stays_unless_it_pays),
        placement_test(what_misses_are_assumed_can_be_set),
        placement_test(wake_ups_that_nearness_adds_count),
        placement_test(migrations_in_a_crowd_count),
        placement_test(a_guest_makes_room_for_one_that_gains_more),
        placement_test(a_partner_that_moves_is_not_followed_for_long),
        placement_test(a_move_that_helps_is_not_regretted),
        placement_test(noise_moves_no_guest_after_the_first_minute),
        placement_test(three_times_too_many_are_left_where_they_are),
    };

    return run_tap_tests(tests);
}
