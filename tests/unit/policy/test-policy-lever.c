/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests the results of moves: a moved guest runs at its target, with a soft affinity if
 * that is enough, and with a hard one only if it is allowed and needed and the target has
 * room.  A guest that only waits at its target returns.
 *
 * Fails if a soft affinity without effect counts as an arrival, or if a hard affinity is set
 * where the operator forbids it, stays in a crowd, or makes a guest wait.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL

static struct policy_settings settings;
static unsigned int guest;

static int begin_places(enum affinity_lever lever, unsigned int places)
{
    settings = policy_defaults;
    settings.lever = lever;
    settings.settle_ns = 0;
    world_begin("placement", &settings, places, 4, 1);
    world.real = true;
    world.domains[0].use = 0.5;
    guest = world_guest(1, 0.4);
    world.domains[guest].cpu = 5;
    world_talk(guest, 0, 500);

    return 0;
}

static int begin(enum affinity_lever lever)
{
    return begin_places(lever, 2);
}

static int setup(void **state)
{
    (void)state;

    return begin(LEVER_AUTO);
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static const struct world_domain *it(void)
{
    return &world.domains[guest];
}

static bool runs_there(void)
{
    return world.topology.cpus[it()->cpu].place == 0;
}

static void assert_pulls(unsigned int reminded, unsigned int hardened,
                         unsigned int softened)
{
    assert_int_equal(it()->pulls[PULL_REMIND], reminded);
    assert_int_equal(it()->pulls[PULL_HARDEN], hardened);
    assert_int_equal(it()->pulls[PULL_SOFTEN], softened);
}

static void a_move_is_done_when_the_guest_is_there(void **state)
{
    (void)state;
    world_run(3);
    assert_int_equal(it()->moves, 1);
    assert_true(runs_there());
    assert_int_equal(it()->news, OUTCOME_ARRIVED);
    world_run(30);
    assert_pulls(0, 0, 0);
    assert_false(it()->is_hard);
}

static void within_two_seconds_it_is_known(void **state)
{
    (void)state;
    while (!it()->moves)
        world_run(1);
    assert_int_equal(it()->news, OUTCOME_NONE);
    world_run(2);
    assert_int_equal(it()->news, OUTCOME_ARRIVED);
}

static void a_soft_affinity_without_effect_becomes_hard(void **state)
{
    (void)state;
    world.deaf = true;
    world_run(4);
    assert_int_equal(it()->moves, 1);
    assert_false(runs_there());
    assert_int_equal(it()->news, OUTCOME_ABSENT);
    world_run(12);
    assert_true(it()->is_hard);
    assert_true(runs_there());
    assert_int_equal(it()->news, OUTCOME_GOOD);
    assert_int_equal(it()->moves, 1);
    assert_pulls(1, 1, 0);
    world_run(60);
    assert_pulls(1, 1, 0);
}

/* 2.9 ms/s are lost; dom0 alone keeps 4 cores busy for 15 % of the time, or never. */
static void a_hard_affinity_is_set_only_if_it_costs_less(void **state)
{
    static const double uses[] = { 0.5, 2.6 };
    unsigned int i;

    for (i = 0; i < 2; i++) {
        teardown(state);
        settings = policy_defaults;
        settings.settle_ns = 0;
        world_begin("placement", &settings, 2, 4, 1);
        world.real = world.deaf = true;
        world.domains[0].use = uses[i];
        guest = world_guest(1, 0.4);
        world.domains[guest].cpu = 5;
        world_talk(guest, 0, 1000);
        world_run(60);
        assert_int_equal(it()->moves, 1);
        assert_int_equal(it()->is_hard, !i);
        if (i)
            continue;
        /* There is less room: a hard affinity costs more than it is worth. */
        world.domains[0].use = 2.7;
        world_run(20);
        assert_false(it()->is_hard);
        assert_int_equal(it()->pulls[PULL_SOFTEN], 1);
    }
}

static void no_hard_affinity_where_soft_was_set(void **state)
{
    (void)state;
    world.deaf = true;
    world.domains[guest].soft_only = true;
    world_run(60);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->pulls[PULL_HARDEN], 0);
    assert_int_equal(it()->hard, world.all);
    /* Once in stay_ns, and not in each plan. */
    assert_in_range(it()->pulls[PULL_REMIND], 3, 7);

    world_end();
    begin(LEVER_SOFT);
    world.deaf = true;
    world_run(60);
    assert_int_equal(it()->pulls[PULL_HARDEN], 0);
    assert_int_equal(it()->hard, world.all);
}

static void hard_from_the_beginning_where_that_was_said(void **state)
{
    (void)state;
    world_end();
    begin(LEVER_HARD);
    world.deaf = true;
    while (!it()->moves)
        world_run(1);
    assert_true(it()->is_hard);
    assert_true(runs_there());
    world.domains[guest].soft_only = true;
    world_run(2);
    assert_false(it()->is_hard);
}

static void crowd(double use)
{
    unsigned int other = world_guest(4, use);

    world.domains[other].operators = true;
    world.domains[other].hard = PLACE_0;
    world.domains[other].cpu = 1;
}

/* It would wait there, and others are idle: it goes to them. */
static void a_hard_affinity_ends_when_the_place_fills_up(void **state)
{
    (void)state;
    world.deaf = true;
    world_run(16);
    assert_true(it()->is_hard);
    crowd(3.5);
    world_run(25);
    assert_int_not_equal(it()->hard, PLACE_0);
    assert_false(runs_there());
}

static void without_room_nothing_is_moved_and_the_reason_says_so(void **state)
{
    (void)state;
    crowd(2.7);
    world_warm_up();
    world_run(20);
    assert_int_equal(it()->moves, 0);
    world_says(guest, "socket 0 has no room: of its 4 cores guest-2 needs 2.");
}

/* A guest that no affinity keeps there gets pCPUs that the bound guest waits for. */
static void a_guest_that_waits_takes_the_room_that_it_demands(void **state)
{
    unsigned int passing;

    (void)state;
    /* The guest saves more there than it would wait. */
    world_talk(guest, 0, 500000);
    crowd(2.7);
    passing = world_guest(4, 3);
    world.domains[passing].operators = true;
    world.domains[passing].cpu = 2;
    world_warm_up();
    world_run(20);
    assert_int_equal(it()->moves, 0);
    world_says(guest, "socket 0 has no room: of its 4 cores guest-2 needs 2.7");
}

/* With no more vCPUs than cores no vCPU waits, however busy they are. */
static void guests_with_a_core_each_have_room(void **state)
{
    (void)state;
    world.domains[0].use = 2;
    world.domains[guest].use = 1;
    world_warm_up();
    world_run(5);
    assert_int_equal(it()->moves, 1);
}

/* What its work costs where it is at first is known before it is moved. */
static void look_before_the_move(void)
{
    world.only_plans = true;
    world_run(20);
    world.only_plans = false;
    world_run(1);
    assert_int_equal(it()->moves, 1);
}

static void a_guest_that_waits_more_than_it_gains_goes_back(void **state)
{
    (void)state;
    world.domains[guest].waits = 0.010;
    world.domains[guest].waits_there = 0.050;
    look_before_the_move();
    world_run(25);
    assert_int_equal(it()->news, OUTCOME_WORSE);
    assert_int_equal(it()->backs, 1);
    assert_int_equal(it()->soft, world.all);
    world.domains[guest].cpu = 5;
    /* Not at once again; but some time it is tried. */
    world_run(300);
    assert_int_equal(it()->moves, 1);
    world_says(guest, "its work cost more there");
    world_run(320);
    assert_int_equal(it()->moves, 2);
    world_run(700);
    assert_int_equal(it()->moves, 2);
    assert_int_equal(it()->backs, 2);
}

/* It waits 40 ms of each second more, and near dom0 it saves 20 or 100 ms of them. */
static void what_it_gains_is_what_it_costs_less(void **state)
{
    static const double far_costs[] = { 0.00004, 0.0002 };
    unsigned int i;

    for (i = 0; i < 2; i++) {
        teardown(state);
        setup(state);
        world.domains[guest].far_costs = far_costs[i];
        world.domains[guest].waits = 0.010;
        world.domains[guest].waits_there = 0.050;
        if (!i)
            world.domains[guest].waits_there = 0.070;
        look_before_the_move();
        world_run(25);
        assert_int_equal(it()->news, i ? OUTCOME_GOOD : OUTCOME_WORSE);
        assert_int_equal(it()->backs, !i);
    }
}

/* Less than 3 % of what it costs: the look goes on, and at its end the guest stays. */
static void a_difference_that_may_be_chance_undoes_nothing(void **state)
{
    (void)state;
    world.domains[guest].waits = 0.020;
    world.domains[guest].waits_there = 0.031;
    look_before_the_move();
    world_run(20);
    assert_int_equal(it()->news, OUTCOME_ARRIVED);
    world_run(40);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->backs, 0);
    assert_int_equal(it()->news, OUTCOME_GOOD);
}

/*
 * Near its partner it does four times as much in a second, with four times the pCPU time;
 * that it waits as much longer is no harm, and that it waits 15 times as long is one.
 */
static void a_guest_that_does_more_may_wait_as_much_more(void **state)
{
    static const double waits[] = { 0.080, 0.300 };
    unsigned int i;

    for (i = 0; i < 2; i++) {
        teardown(state);
        setup(state);
        world.domains[0].use = 0.1;
        world.domains[guest].use = 0.2;
        world.domains[guest].waits = 0.020;
        world.domains[guest].waits_there = waits[i];
        look_before_the_move();
        world_talk(guest, 0, 2000);
        world.domains[0].use = 0.4;
        world.domains[guest].use = 0.8;
        world_run(60);
        assert_int_equal(it()->news, i ? OUTCOME_WORSE : OUTCOME_GOOD);
        assert_int_equal(it()->backs, i);
    }
}

/* It exchanges too little to have a unit: what it waits for each s that it runs counts. */
static void without_a_unit_of_work_waiting_decides(void **state)
{
    unsigned int i;

    for (i = 0; i < 2; i++) {
        teardown(state);
        setup(state);
        world.domains[guest].waits = 0.010;
        world.domains[guest].waits_there = i ? 0.050 : 0.010;
        look_before_the_move();
        world_talk(guest, 0, 0.1);
        world_run(45);
        assert_int_equal(it()->news, i ? OUTCOME_WORSE : OUTCOME_GOOD);
    }
}

/* All varies by 30 %: of 40 moves that change nothing, at most one is undone. */
static void noise_does_not_undo_moves(void **state)
{
    unsigned int i, undone = 0;

    for (i = 0; i < 40; i++) {
        teardown(state);
        setup(state);
        world.seed = 100 + i;
        world.noise = 0.3;
        world.domains[guest].waits = world.domains[guest].waits_there = 0.020;
        look_before_the_move();
        world_run(60);
        undone += it()->backs;
    }
    assert_in_range(undone, 0, 1);
}

static void without_wake_delays_nothing_is_undone(void **state)
{
    (void)state;
    look_before_the_move();
    world.domains[guest].use = 0.9; /* each unit costs more than before */
    world_run(60);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->backs, 0);
}

/* Makes a group of two guests, which the policy places near dom0. */
static unsigned int make_group(void)
{
    unsigned int other = world_guest(1, 0.4);

    world.domains[other].cpu = 6;
    world.domains[guest].group = world.domains[other].group = 1;
    world_talk(other, 0, 500);

    return other;
}

/* A group moves as one, but a guest whose work costs more at the new place returns alone. */
static void each_guest_of_a_group_is_judged(void **state)
{
    unsigned int other = make_group();

    (void)state;
    world.domains[guest].waits = world.domains[other].waits = 0.010;
    world.domains[guest].waits_there = 0.050;
    world.domains[other].waits_there = 0.010;
    look_before_the_move();
    world_run(45);
    assert_int_equal(it()->news, OUTCOME_WORSE);
    assert_int_equal(it()->backs, 1);
    world_says(guest, "its work cost more there");
    assert_int_equal(world.domains[other].news, OUTCOME_GOOD);
    assert_int_equal(world.domains[other].backs, 0);
    assert_int_equal(world.domains[other].moves, 1);
}

/* The guests' notifications to each other cross places until both guests have moved. */
static void a_group_that_is_moved_in_parts_is_not_regretted(void **state)
{
    unsigned int other = make_group();

    (void)state;
    world_talk(guest, other, 3000);
    world.domains[other].waits_its_turn = true;
    world_run(50);
    world.domains[other].waits_its_turn = false;
    world_run(60);
    assert_int_equal(it()->backs, 0);
    assert_int_equal(it()->news, OUTCOME_GOOD);
    assert_int_equal(world.domains[other].moves, 1);
    assert_int_equal(world.domains[other].news, OUTCOME_GOOD);
}

static void a_group_whose_soft_affinity_has_no_effect_becomes_hard(void **state)
{
    (void)state;
    world.deaf = true;
    make_group();
    world_run(30);
    assert_int_equal(it()->moves, 1);
    assert_true(it()->is_hard);
    assert_true(runs_there());
}

/* An idle guest says nothing by where it is. */
static void a_guest_that_does_not_run_is_neither_there_nor_elsewhere(void **state)
{
    (void)state;
    world.deaf = true;
    world.domains[guest].use = 0;
    world_run(30);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->news, OUTCOME_NONE);
    assert_pulls(0, 0, 0);
}

/* Where plans are not carried out nothing can come of them. */
static void a_replay_judges_nothing(void **state)
{
    (void)state;
    world.deaf = true;
    world.real = false;
    world_run(60);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->news, OUTCOME_NONE);
    assert_pulls(0, 0, 0);
}

static void a_guest_that_was_taken_away_is_reminded(void **state)
{
    (void)state;
    world_run(10);
    assert_true(runs_there());
    world.domains[guest].cpu = 5;
    world_run(5);
    assert_true(runs_there());
    assert_pulls(1, 0, 0);
    world_run(5);
    assert_int_equal(it()->news, OUTCOME_ARRIVED);
}

#define lever_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* As xl does on NUMA hosts; Xen has left it on the other place. */
static void is_asked_to_be_there(void)
{
    world.domains[guest].soft = PLACE_0;
}

static void a_guest_that_is_bound_there_and_is_not_is_moved(void **state)
{
    (void)state;
    is_asked_to_be_there();
    world_run(10);
    assert_int_equal(it()->moves, 1);
    assert_true(runs_there());
    assert_int_not_equal(it()->news, OUTCOME_NONE);
    assert_int_not_equal(it()->news, OUTCOME_ABSENT);
}

/* The same steps as for any other move: set again, then hard, with a reason. */
static void ignored_soft_affinity_becomes_hard(void **state)
{
    (void)state;
    is_asked_to_be_there();
    world.deaf = true;
    world_run(4);
    assert_int_equal(it()->news, OUTCOME_ABSENT);
    world_run(12);
    assert_true(it()->is_hard);
    assert_true(runs_there());
    assert_pulls(1, 1, 0);
}

static void ignored_soft_affinity_stays_where_soft_was_set(void **state)
{
    (void)state;
    is_asked_to_be_there();
    world.deaf = true;
    world.domains[guest].soft_only = true;
    world_run(30);
    assert_int_equal(it()->news, OUTCOME_ABSENT);
    assert_int_equal(it()->hard, world.all);
}

static void a_guest_that_is_bound_there_and_is_stays_as_it_is(void **state)
{
    (void)state;
    is_asked_to_be_there();
    world.domains[guest].cpu = 2;
    world_run(30);
    assert_int_equal(it()->moves, 0);
}

/* Others go where it runs, which is not where it was asked to be. */
static void a_driver_domain_is_where_it_runs(void **state)
{
    (void)state;
    world.domains[0].hard = world.all;
    world.domains[0].soft = PLACE_0;
    world.domains[0].cpu = 6;
    world.domains[guest].cpu = 1;
    world_run(10);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->sent, PLACE_1);
}

/* A soft affinity of an operator's that Xen ignores takes no room. */
static void room_is_taken_where_a_guest_runs(void **state)
{
    unsigned int busy = world_guest(4, 3.5);

    (void)state;
    world.domains[busy].operators = true;
    world.domains[busy].soft = PLACE_0;
    world.domains[busy].cpu = 6;
    world_warm_up();
    world_run(10);
    assert_int_equal(it()->moves, 1);
}

/* What was only decided has no outcome. */
static void a_move_that_is_put_off_is_not_judged(void **state)
{
    (void)state;
    world.only_plans = true;
    world.domains[guest].cpu = 2; /* it is there by chance */
    world_run(30);
    assert_int_equal(it()->decision.verb, MOVE);
    assert_int_equal(it()->news, OUTCOME_NONE);
    assert_false(it()->ours);
}

static void a_reminder_that_is_put_off_is_none(void **state)
{
    (void)state;
    world.deaf = true;
    while (!it()->moves)
        world_run(1);
    world.only_plans = true;
    world_run(20);
    assert_int_equal(it()->decision.pull, PULL_REMIND);
    world.only_plans = false;
    world_run(1);
    assert_pulls(1, 0, 0);
}

/* The verdict stands until it is carried out, and counts from then on. */
static void a_verdict_waits_until_it_is_carried_out(void **state)
{
    (void)state;
    world.domains[guest].waits = 0.010;
    world.domains[guest].waits_there = 0.050;
    look_before_the_move();
    world_run(2);
    world.only_plans = true;
    world_run(25);
    assert_int_equal(it()->news, OUTCOME_WORSE);
    world_run(300);
    assert_int_equal(it()->decision.verb, GIVE_BACK);
    assert_int_equal(it()->backs, 0);
    world.only_plans = false;
    world_run(1);
    assert_int_equal(it()->backs, 1);
    world_run(500);
    assert_int_equal(it()->moves, 1);
}

static void a_guest_with_more_vcpus_than_cores_is_let_go(void **state)
{
    struct policies policies;

    (void)state;
    settings.lever = LEVER_HARD;
    assert_true(policies_parse(&policies, "placement"));
    planner_change(world.planner, &policies, &settings);
    world_run(10);
    assert_true(it()->is_hard);
    world.domains[guest].nr_vcpus = 7;
    world_run(2);
    assert_false(it()->is_hard);
    world_says(guest, "it was moved");
    world_run(70);
    assert_false(it()->ours);
}

/* As firmware cuts sockets into nodes: 0 and 1 are of one, 2 and 3 of another. */
static void make_far(struct distances *d, unsigned int places)
{
    unsigned int x, y;

    distances_init(d, places);
    for (x = 0; x < places; x++)
        for (y = 0; y < places; y++)
            d->slit[x * places + y] = x == y ? 10 : x / 2 == y / 2 ? 12 : 32;
}

/* dom0's node is full: the other node of its socket is next, and then dom0's. */
static void without_room_the_nearest_place_is_next(void **state)
{
    struct distances far;

    teardown(state);
    settings = policy_defaults;
    settings.settle_ns = 0;
    world_begin_nodes("placement", &settings, 4, 2);
    make_far(&far, 4);
    world.distances = &far;
    world.domains[0].use = 1.7;
    guest = world_guest(1, 0.4);
    world.domains[guest].cpu = 7;
    world_talk(guest, 0, 500);
    world_warm_up();
    world_run(60);
    assert_int_equal(it()->moves, 1);
    assert_int_equal(it()->sent, 0x0c);
    world.domains[0].use = 0.4;
    world_run(30);
    assert_int_equal(it()->moves, 2);
    assert_int_equal(it()->sent, 0x03);
    world.distances = NULL;
    distances_free(&far);
}

/* The guest waits too much at PLACE_0, and shuns it for a time. */
static void shun_place_0(void)
{
    world.domains[guest].waits = 0.010;
    world.domains[guest].waits_there = 0.050;
    look_before_the_move();
    world_run(25);
    assert_int_equal(it()->backs, 1);
    world.domains[guest].waits_there = 0.010;
}

/* It may not go where it gains most, and stays where it gains less. */
static void a_guest_that_shuns_the_best_place_stays_at_the_next(void **state)
{
    unsigned int other;

    world_end();
    begin_places(LEVER_AUTO, 3);
    (void)state;
    shun_place_0();
    other = world_guest(1, 0.2);
    world.domains[other].operators = true;
    world.domains[other].hard = PLACE_1;
    world.domains[other].cpu = 6;
    world_talk(guest, other, 8000);
    world_run(30);
    assert_int_equal(it()->soft, PLACE_1);
    world_talk(guest, 0, 14000);
    world_run(200);
    assert_int_equal(it()->soft, PLACE_1);
    assert_int_equal(it()->backs, 1);
}

static void a_guest_that_shuns_the_best_place_goes_to_the_next(void **state)
{
    struct distances far;

    world_end();
    begin_places(LEVER_AUTO, 3);
    (void)state;
    world_make_nodes();
    make_far(&far, 3);
    world.distances = &far;
    world.domains[guest].cpu = 9;
    shun_place_0();
    world.domains[guest].cpu = 9;
    world_run(30);
    assert_int_equal(it()->soft, PLACE_1);
    assert_int_equal(it()->moves, 2);
    world.distances = NULL;
    distances_free(&far);
}

/* Four plans in a row have to agree. */
static void confirm_four_times(void)
{
    struct policies policies;

    settings.confirm = 4;
    assert_true(policies_parse(&policies, "placement"));
    planner_change(world.planner, &policies, &settings);
}

/* Every third second it runs beside dom0, which halves the gain of a move. */
static void a_guest_that_comes_near_by_chance_is_confirmed_as_soon(void **state)
{
    unsigned int i;

    (void)state;
    confirm_four_times();
    for (i = 0; i < 8 && !it()->moves; i++) {
        world.domains[guest].cpu = i % 3 == 2 ? 1 : 5;
        world_run(1);
    }
    assert_int_equal(it()->soft, PLACE_0);
    assert_in_range(i, settings.confirm, settings.confirm + 2);
}

/* Its traffic is steady, but the reason for a move is a crowd, which comes and goes. */
static void traffic_confirms_no_move_with_another_reason(void **state)
{
    unsigned int i, k, others[4];

    world_end();
    begin_places(LEVER_AUTO, 2);
    (void)state;
    confirm_four_times();
    world_talk(guest, 0, 100);
    for (k = 0; k < 4; k++) {
        others[k] = world_guest(1, 0.9);
        world.domains[others[k]].operators = true;
        world.domains[others[k]].hard = PLACE_0;
        world.domains[others[k]].cpu = k;
    }
    for (i = 0; i < 60; i++) {
        for (k = 0; k < 4; k++)
            world.domains[others[k]].use = i % 3 ? 0.95 : 0.85;
        world.domains[guest].cpu = 1;
        world_run(1);
    }
    assert_int_equal(it()->moves, 0);
}

/* Where no other place is of use, the reason names the shunned one. */
static void the_reason_names_a_place_that_is_shunned(void **state)
{
    (void)state;
    shun_place_0();
    world.domains[guest].cpu = 5;
    world_run(30);
    world_says(guest, "its work cost more there");
    assert_int_equal(it()->moves, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        lever_test(a_move_is_done_when_the_guest_is_there),
        lever_test(within_two_seconds_it_is_known),
        lever_test(a_soft_affinity_without_effect_becomes_hard),
        lever_test(a_hard_affinity_is_set_only_if_it_costs_less),
        lever_test(no_hard_affinity_where_soft_was_set),
        lever_test(hard_from_the_beginning_where_that_was_said),
        lever_test(a_hard_affinity_ends_when_the_place_fills_up),
        lever_test(without_room_nothing_is_moved_and_the_reason_says_so),
        lever_test(a_guest_that_waits_takes_the_room_that_it_demands),
        lever_test(guests_with_a_core_each_have_room),
        lever_test(a_guest_that_waits_more_than_it_gains_goes_back),
        lever_test(a_guest_that_shuns_the_best_place_stays_at_the_next),
        lever_test(a_guest_that_shuns_the_best_place_goes_to_the_next),
        lever_test(the_reason_names_a_place_that_is_shunned),
        lever_test(a_guest_that_comes_near_by_chance_is_confirmed_as_soon),
        lever_test(traffic_confirms_no_move_with_another_reason),
        lever_test(what_it_gains_is_what_it_costs_less),
        lever_test(a_difference_that_may_be_chance_undoes_nothing),
        lever_test(a_guest_that_does_more_may_wait_as_much_more),
        lever_test(without_a_unit_of_work_waiting_decides),
        lever_test(noise_does_not_undo_moves),
        lever_test(without_wake_delays_nothing_is_undone),
        lever_test(each_guest_of_a_group_is_judged),
        lever_test(a_group_that_is_moved_in_parts_is_not_regretted),
        lever_test(a_group_whose_soft_affinity_has_no_effect_becomes_hard),
        lever_test(a_guest_that_does_not_run_is_neither_there_nor_elsewhere),
        lever_test(a_replay_judges_nothing),
        lever_test(a_guest_that_was_taken_away_is_reminded),
        lever_test(a_guest_that_is_bound_there_and_is_not_is_moved),
        lever_test(ignored_soft_affinity_becomes_hard),
        lever_test(ignored_soft_affinity_stays_where_soft_was_set),
        lever_test(a_guest_that_is_bound_there_and_is_stays_as_it_is),
        lever_test(a_driver_domain_is_where_it_runs),
        lever_test(room_is_taken_where_a_guest_runs),
        lever_test(a_move_that_is_put_off_is_not_judged),
        lever_test(a_reminder_that_is_put_off_is_none),
        lever_test(a_verdict_waits_until_it_is_carried_out),
        lever_test(a_guest_with_more_vcpus_than_cores_is_let_go),
        lever_test(without_room_the_nearest_place_is_next),
    };

    return run_tap_tests(tests);
}
