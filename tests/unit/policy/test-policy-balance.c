/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy balance: a place that has more to do than it can goes without the
 * guest that has least to lose; and the model of load that it stands on.
 * 2 sockets of 4 cores, whose guests are all at the first one, by xl's choice.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL

static int setup(void **state)
{
    (void)state;
    world_begin("balance", &policy_defaults, 2, 4, 1);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static unsigned int guest_at_0(double use)
{
    unsigned int domid = world_guest(1, use);

    world.domains[domid].soft = PLACE_0;
    world.domains[domid].cpu = domid % 4;

    return domid;
}

static void guests_at_0(unsigned int nr, double use)
{
    while (nr--)
        guest_at_0(use);
}

static void the_guest_with_least_to_lose_goes(void **state)
{
    struct policy_settings settings = policy_defaults;
    unsigned int lonely, domid;

    (void)state;
    settings.min_rate = 1000;
    world_end();
    world_begin("balance", &settings, 2, 4, 1);
    guests_at_0(3, 1.0);
    lonely = guest_at_0(1.0);
    guests_at_0(2, 1.0);
    for (domid = 1; domid < world.nr; domid++)
        if (domid != lonely)
            world_talk(domid, 0, 100 * domid);
    world.domains[0].hard = PLACE_0;
    world_warm_up();
    world_run(8);
    assert_int_equal(world.domains[lonely].moves, 1);
    assert_int_equal(world.domains[lonely].sent, PLACE_1);
    assert_int_equal(world_moves(), 1);
    world_run(1);
    world_says(lonely, "socket 0, where it was, has");
    assert_string_equal(world.domains[lonely].decision.policy, "balance");
    /* The next one loses little, too; then there is room for all. */
    world_run(200);
    assert_in_range(world_moves(), 1, 2);
    assert_int_equal(world.domains[lonely].moves, 1);
    assert_int_equal(world.domains[lonely].backs, 0);
    assert_true(world_units(0) <= 1.25 * 4 + 0.1);
}

static void a_guest_with_much_to_lose_stays(void **state)
{
    unsigned int domid;

    (void)state;
    guests_at_0(6, 1.0);
    world.domains[0].hard = PLACE_0;
    for (domid = 1; domid < world.nr; domid++)
        world_talk(domid, 0, 100);
    world_run(60);
    assert_int_equal(world_moves(), 0);
    world_says(1, "it has more to lose than others (10");
}

static void one_goes_after_the_other(void **state)
{
    unsigned int second, moves, before = 0, latest = 0;

    (void)state;
    guests_at_0(8, 1.0);
    for (second = 1; second < 60; second++) {
        world_run(1);
        moves = world_moves() - before;
        assert_in_range(moves, 0, 1);
        if (moves && latest)
            assert_true(second - latest >= 5);
        if (moves)
            latest = second;
        before += moves;
    }
    assert_in_range(before, 3, 4);
}

static void the_reason_has_the_numbers(void **state)
{
    unsigned int i;

    (void)state;
    guests_at_0(6, 1.0);
    for (i = 0; i < 10 && !world_moves(); i++)
        world_run(1);
    for (i = 1; i < world.nr; i++)
        if (world.domains[i].moves)
            break;
    world_says(i, "socket 0 is overloaded: 6.");
    world_says(i, " runnable vCPUs on 4 cores, which wait 0.0");
    world_says(i, "it has least to lose there (0 interactions/s)");
    world_says(i, "while on pCPUs 4-7 (socket 1) there are 0.0 on 4");
}

static void a_full_place_is_no_overloaded_one(void **state)
{
    (void)state;
    guests_at_0(4, 1.0);
    world_run(60);
    assert_int_equal(world_moves(), 0);
    world_says(1, "there is no overload where it runs");
}

static void a_peak_moves_no_guest(void **state)
{
    unsigned int i;

    (void)state;
    guests_at_0(4, 0.5);
    for (i = 0; i < 10; i++) {
        world.domains[1].use = world.domains[2].use = 3;
        world_run(1);
        world.domains[1].use = world.domains[2].use = 0.5;
        world_run(10);
    }
    assert_int_equal(world_moves(), 0);
}

static void it_needs_room_elsewhere(void **state)
{
    unsigned int i;

    (void)state;
    guests_at_0(7, 1.0);
    for (i = 0; i < 4; i++)
        world.domains[guest_at_0(1.0)].soft = PLACE_1;
    for (i = 8; i < 12; i++)
        world.domains[i].cpu = 4 + i % 4;
    world_run(60);
    assert_int_equal(world_moves(), 0);
    world_says(1, "there is no room for it elsewhere");
}

#define POOL_A 0x33ULL /* of each socket 2 cores; the others are the other's */

static void pool_a_at_0(unsigned int nr)
{
    while (nr--) {
        unsigned int domid = guest_at_0(1.0);

        world.domains[domid].pool = world.domains[domid].hard = POOL_A;
        world.domains[domid].cpu = domid % 2;
    }
}

/* Half of the socket's cores are idle, and none of that cpupool's. */
static void a_crowded_cpupool_is_relieved(void **state)
{
    (void)state;
    world.domains[0].pool = ~POOL_A & 0xff;
    world.domains[0].hard = 0x0c;
    world.domains[0].cpu = 2;
    pool_a_at_0(4);
    world_run(7);
    assert_int_equal(world_moves(), 1);
    world_run(60);
    assert_int_equal(world_moves(), 2);
    world_says(1, "on 2 cores");
}

static void idle_cores_of_another_cpupool_are_no_room(void **state)
{
    unsigned int domid;

    (void)state;
    world.domains[0].pool = ~POOL_A & 0xff;
    pool_a_at_0(4);
    for (domid = 1; domid <= 2; domid++)
        world.domains[domid].soft = PLACE_1, world.domains[domid].cpu = 3 + domid;
    pool_a_at_0(2);
    world_run(60);
    assert_int_equal(world_moves(), 0);
    world_says(4, "there is no room for it elsewhere");
}

static void when_there_is_room_again_it_is_given_back(void **state)
{
    unsigned int i, moved = 0;

    (void)state;
    guests_at_0(6, 1.0);
    world_run(20);
    for (i = 1; i < world.nr; i++)
        if (world.domains[i].moves)
            moved = i;
    assert_int_not_equal(moved, 0);
    for (i = 1; i < world.nr; i++)
        world.domains[i].use = 0.2;
    world_run(100);
    assert_int_equal(world.domains[moved].backs, 1);
    assert_int_equal(world.domains[moved].moves, 1);
}

static void what_others_want_stays(void **state)
{
    unsigned int i;

    (void)state;
    world_end();
    world_begin("driver-affinity,balance", &policy_defaults, 2, 4, 1);
    guests_at_0(6, 0.9);
    for (i = 1; i <= 5; i++)
        world_talk(i, 0, 1000);
    world_run(60);
    /* Those who talk to dom0 are where they want to be. */
    for (i = 1; i <= 5; i++)
        assert_int_equal(world.domains[i].moves, 0);
}

static void what_is_not_known_moves_no_guest(void **state)
{
    (void)state;
    guests_at_0(6, 1.0);
    world.no_queues = true;
    world_run(20);
    assert_int_equal(world_moves(), 0);
    world_says(1, "it is not known how busy");
}

/* The model. */

static void sample(unsigned int event, unsigned int cpu, uint16_t acct,
                   uint64_t counter)
{
    struct xensched_row row = {
        .event = event, .cpu = cpu, .current = acct, .counter = counter,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_COUNTER,
    };

    waiting_add(world.waiting, &row, world.now);
}

/* Who has the queue's name in the same word does not count it. */
#define ON_QUEUE_2 (2 << XEN_SCHEDLOG_RUNQ_QUEUE_SHIFT)

static void means_follow_with_the_half_life(void **state)
{
    unsigned int i;

    (void)state;
    assert_true(waiting_queue(world.waiting, 0, world.now) < 0);
    for (i = 0; i < 10000; i++) {
        world.now += WORLD_SECOND / 100;
        sample(XEN_SCHEDLOG_EV_RUNQ, 3, 1, ON_QUEUE_2 | (i & 1 ? 2 : 3));
    }
    assert_float_equal(waiting_queue(world.waiting, 3, world.now), 2.5, 0.01);
    assert_true(waiting_queue(world.waiting, 2, world.now) < 0);
    for (i = 0; i < 100; i++) {
        world.now += WORLD_SECOND / 100;
        sample(XEN_SCHEDLOG_EV_RUNQ, 3, 1, ON_QUEUE_2);
    }
    assert_float_equal(waiting_queue(world.waiting, 3, world.now), 1.25, 0.02);
    assert_true(waiting_queue(world.waiting, 3, world.now + 9 * WORLD_SECOND) > 0);
    assert_true(waiting_queue(world.waiting, 3, world.now + 11 * WORLD_SECOND) < 0);
}

static void delays_are_of_pcpus_and_of_domains(void **state)
{
    (void)state;
    sample(XEN_SCHEDLOG_EV_WAKE_DELAY, 1, 5, 1000000);
    sample(XEN_SCHEDLOG_EV_WAKE_DELAY, 2, 5, 3000000);
    sample(XEN_SCHEDLOG_EV_WAKE_DELAY, 2, 6, 5000000);
    assert_float_equal(waiting_delay_on(world.waiting, 1, world.now), 1e-3, 1e-9);
    assert_float_equal(waiting_delay_on(world.waiting, 2, world.now), 4e-3, 1e-9);
    /* A plan that began before the rows came. */
    assert_float_equal(waiting_delay_on(world.waiting, 2, world.now - 1), 4e-3, 1e-9);
    assert_float_equal(waiting_delay_of(world.waiting, 5, world.now), 2e-3, 1e-9);
    waiting_forget(world.waiting, 5);
    waiting_forget(world.waiting, 60000);
    assert_true(waiting_delay_of(world.waiting, 5, world.now) < 0);
    assert_float_equal(waiting_delay_of(world.waiting, 6, world.now), 5e-3, 1e-9);
}

#define balance_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        balance_test(the_guest_with_least_to_lose_goes),
        balance_test(a_guest_with_much_to_lose_stays),
        balance_test(one_goes_after_the_other),
        balance_test(the_reason_has_the_numbers),
        balance_test(a_full_place_is_no_overloaded_one),
        balance_test(a_peak_moves_no_guest),
        balance_test(it_needs_room_elsewhere),
        balance_test(a_crowded_cpupool_is_relieved),
        balance_test(idle_cores_of_another_cpupool_are_no_room),
        balance_test(when_there_is_room_again_it_is_given_back),
        balance_test(what_others_want_stays),
        balance_test(what_is_not_known_moves_no_guest),
        balance_test(means_follow_with_the_half_life),
        balance_test(delays_are_of_pcpus_and_of_domains),
    };

    return run_tap_tests(tests);
}
