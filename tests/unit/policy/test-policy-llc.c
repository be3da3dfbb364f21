/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks places with several last-level caches (LLC): a guest is moved to the best one if it fits,
 * and otherwise to the place that was best without LLCs.  2 sockets of 2 LLCs of 4 cores of 2
 * threads.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define LLC(nr)   (0xffULL << (8 * (nr)))
#define SOCKET_0  0xffffULL
#define MANY      20e6

static void begin(const char *policies, unsigned int sockets)
{
    world_begin_with_llcs(policies, &policy_defaults, sockets, 2, 8, 2);
}

static int setup(void **state)
{
    (void)state;
    begin("placement", 2);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static void begin_anew(const char *policies, unsigned int sockets)
{
    world_end();
    begin(policies, sockets);
}

/* One that talks to dom0, and is in the last LLC. */
static unsigned int client(unsigned int nr_vcpus, double use)
{
    unsigned int domid = world_guest(nr_vcpus, use);

    world.domains[domid].cpu = world.topology.nr_cpus - 1;
    world_talk(domid, 0, 1000);

    return domid;
}

static uint64_t sent(unsigned int domid)
{
    return world.domains[domid].sent;
}

static void a_guest_goes_to_the_llc_of_its_back_end(void **state)
{
    unsigned int first = client(1, 0.5), second;

    (void)state;
    world_run(5);
    assert_int_equal(sent(first), LLC(0));
    world.domains[0].hard = LLC(3);
    second = client(4, 0.5);
    world.domains[second].cpu = 0;
    world_run(5);
    assert_int_equal(sent(second), LLC(3));
    world_run(200);
    assert_int_equal(world.domains[second].moves, 1);
}

/* As near as there is room: any LLC of that socket may be the one of the back end. */
static void when_that_is_full_to_all_of_the_socket(void **state)
{
    unsigned int i, first = world.nr, in_llc = 0, in_socket = 0;

    (void)state;
    for (i = 0; i < 7; i++)
        client(1, 0.7);
    world_warm_up();
    world_run(20);
    for (i = first; i < world.nr; i++) {
        in_llc += sent(i) == LLC(0);
        in_socket += sent(i) != LLC(0) && world_place(sent(i)) == 0;
    }
    /* With a demand of 0.7 each, 4 fit onto 4 cores, by ROOM_TO_GO. */
    assert_int_equal(in_llc, 4);
    assert_int_equal(in_socket, 3);
    world_run(200);
    assert_int_equal(world_moves(), 7);
}

/* Which is of no use; then the whole socket, and then nothing. */
static void never_to_another_socket(void **state)
{
    static const double use[] = { 3.0, 3.0, 0.3, 3.0 };
    unsigned int guests[4], i;

    (void)state;
    for (i = 0; i < 4; i++) {
        guests[i] = client(4, use[i]);
        world_warm_up();
        world_run(5);
    }
    assert_int_equal(sent(guests[0]), LLC(0));
    assert_int_equal(sent(guests[1]), SOCKET_0);
    /* 3 + 3 + 0.3 of 8 cores, and of no LLC. */
    assert_int_equal(sent(guests[2]), SOCKET_0);
    assert_int_equal(sent(guests[3]), 0);
}

static void the_reason_names_the_llc(void **state)
{
    unsigned int domid = client(1, 0.5);

    (void)state;
    while (!world.domains[domid].moves)
        world_run(1);
    world_says(domid, "to LLC 0 (pCPUs 0-7): saves ");
}

static void threads_of_an_llc_are_not_its_cores(void **state)
{
    unsigned int four = client(4, 0.5), five = client(5, 0.5);

    (void)state;
    world_run(5);
    assert_int_equal(sent(four), LLC(0));
    /* It fits into the socket, and goes there, as ever. */
    assert_int_equal(sent(five), SOCKET_0);
}

static void a_back_end_of_the_whole_socket_is_in_both_llcs(void **state)
{
    unsigned int domid = client(1, 0.5);

    (void)state;
    world.domains[0].hard = SOCKET_0;
    world_run(5);
    assert_int_equal(world_place(sent(domid)), 0);
}

/* The socket has 8 cores, of which 6.4 may be needed, and LLC 0 half of them. */
static void a_guest_in_a_whole_socket_takes_what_its_llcs_leave(void **state)
{
    unsigned int i, holder, domid, in_llc = 0;

    (void)state;
    for (i = 0; i < 2; i++) {
        holder = world_guest(4, 2.0);
        world.domains[holder].operators = true;
        world.domains[holder].hard = SOCKET_0;
    }
    domid = world.nr;
    for (i = 0; i < 6; i++)
        client(1, 0.5);
    world_warm_up();
    world_run(20);
    for (i = domid; i < world.nr; i++)
        if (sent(i)) {
            assert_int_equal(sent(i), LLC(0));
            in_llc++;
        }
    assert_int_equal(in_llc, 4);
}

static void a_cpupool_holds_for_llcs(void **state)
{
    unsigned int outside = client(2, 0.5), part = client(2, 0.5);
    unsigned int narrow = client(3, 0.5), i;

    (void)state;
    world.domains[outside].pool = LLC(1);
    world.domains[part].pool = 0xf0 | LLC(1);
    world.domains[narrow].pool = 0xf0 | LLC(1);
    for (i = outside; i < world.nr; i++)
        world.domains[i].cpu = 8;
    world_warm_up();
    world_run(5);
    assert_int_equal(world.domains[outside].moves, 0);
    assert_int_equal(sent(part), 0xf0);
    assert_int_equal(sent(narrow) & ~LLC(1), 0);
}

static void one_socket_with_two_llcs_is_a_choice(void **state)
{
    unsigned int near, large, i;

    (void)state;
    begin_anew("placement", 1);
    near = client(1, 0.5);
    large = client(5, 0.5);
    world_run(5);
    assert_int_equal(sent(near), LLC(0));
    /* It would be sent to all pCPUs, or to no better place. */
    assert_int_equal(world.domains[large].moves, 0);
    world_says(large, "no LLC has enough cores: it has 5 vCPUs");
    for (i = 0; i < 12; i++)
        client(1, 0.8);
    world_warm_up();
    world_run(30);
    for (i = near; i < world.nr; i++)
        assert_int_equal(sent(i) & LLC(1), 0);
}

static void on_one_socket_an_unbound_back_end_attracts_no_guest(void **state)
{
    (void)state;
    begin_anew("placement", 1);
    world.domains[0].hard = world.all;
    client(1, 0.5);
    world_run(10);
    assert_int_equal(world_moves(), 0);
}

static void a_gang_shares_an_llc(void **state)
{
    unsigned int a, b, c;

    (void)state;
    begin_anew("placement", 2);
    a = world_guest(1, 0.8);
    b = world_guest(1, 0.8);
    c = world_guest(1, 0.8);
    world_talk(a, b, 1000);
    world_talk(b, c, 1000);
    world_talk(a, c, 1000);
    world_warm_up();
    world_run(10);
    assert_int_not_equal(world_llc(sent(a)), TOPOLOGY_UNKNOWN);
    assert_int_equal(sent(a), sent(b));
    assert_int_equal(sent(a), sent(c));
    world_run(200);
    assert_int_equal(world_moves(), 3);
}

static void a_gang_too_large_for_an_llc_shares_a_socket(void **state)
{
    unsigned int i, k, first;

    (void)state;
    begin_anew("placement", 2);
    first = world.nr;
    for (i = 0; i < 8; i++)
        world.domains[world_guest(1, 0.9)].cpu = 4 * i;
    for (i = first; i < world.nr; i++)
        for (k = first; k < i; k++)
            world_talk(i, k, 1000);
    world_warm_up();
    world_run(20);
    for (i = first; i < world.nr; i++)
        assert_int_equal(world_place(1ULL << world.domains[i].cpu),
                         world_place(1ULL << world.domains[first].cpu));
    i = world_moves();
    world_run(200);
    assert_int_equal(world_moves(), i);
}

static void a_follower_goes_to_the_llc_of_its_partner(void **state)
{
    unsigned int web, db;

    (void)state;
    begin_anew("placement", 2);
    world.domains[0].hard = LLC(3);
    web = client(1, 0.5);
    db = world_guest(1, 0.5);
    world_talk(web, db, 500);
    world_run(10);
    assert_int_equal(sent(web), LLC(3));
    assert_int_equal(sent(db), LLC(3));
}

static unsigned int hungry_on(unsigned int cpu)
{
    unsigned int domid = world_guest(1, 0.5);

    world.domains[domid].cpu = cpu;
    world.domains[domid].misses = MANY;

    return domid;
}

static unsigned int llc_of(unsigned int domid)
{
    return world_llc(1ULL << world.domains[domid].cpu);
}

static void hungry_guests_do_not_share_an_llc(void **state)
{
    unsigned int a, b, i, k;

    (void)state;
    begin_anew("placement", 2);
    a = hungry_on(24);
    b = hungry_on(25);
    world_warm_up();
    world_run(10);
    assert_int_equal(world_moves(), 1);
    assert_int_not_equal(llc_of(a), llc_of(b));
    world_run(200);
    assert_int_equal(world_moves(), 1);
    /* One LLC for each. */
    hungry_on(26);
    hungry_on(27);
    world_run(60);
    for (i = a; i < world.nr; i++)
        for (k = a; k < i; k++)
            assert_int_not_equal(llc_of(i), llc_of(k));
}

static void the_cache_of_one_socket_is_spread_too(void **state)
{
    unsigned int a, b;

    (void)state;
    begin_anew("placement", 1);
    a = hungry_on(0);
    b = hungry_on(1);
    world_warm_up();
    world_run(10);
    assert_int_not_equal(llc_of(a), llc_of(b));
}

/* It was sent to that socket before, for another reason. */
static void a_moved_guest_can_go_to_another_llc_of_the_place(void **state)
{
    unsigned int a, b;

    (void)state;
    begin_anew("placement", 1);
    a = client(1, 0.5);
    b = client(1, 0.5);
    world_run(10);
    assert_int_equal(sent(a), LLC(0));
    assert_int_equal(sent(b), LLC(0));
    world_talk(a, 0, 0);
    world_talk(b, 0, 0);
    world.domains[a].misses = world.domains[b].misses = MANY;
    world_warm_up();
    world_run(20);
    assert_int_equal(sent(a) | sent(b), LLC(0) | LLC(1));
}

/* Guests that have grown too large for their LLC: some of them leave it. */
static void an_llc_that_became_too_full_is_left(void **state)
{
    unsigned int i, first = world.nr;
    double bound = 0;

    (void)state;
    for (i = 0; i < 4; i++)
        client(2, 0.4);
    world_warm_up();
    world_run(10);
    for (i = first; i < world.nr; i++) {
        assert_int_equal(sent(i), LLC(0));
        world.domains[i].use = 1.5; /* 6 of 4 cores */
    }
    world_run(100);
    for (i = first; i < world.nr; i++)
        bound += world.domains[i].soft == LLC(0) ? world.domains[i].use : 0;
    assert_true(bound > 0 && bound <= 4 * ROOM_TO_STAY);
    i = world_moves();
    world_run(200);
    assert_int_equal(world_moves(), i);
}

#define llc_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        llc_test(a_guest_goes_to_the_llc_of_its_back_end),
        llc_test(when_that_is_full_to_all_of_the_socket),
        llc_test(never_to_another_socket),
        llc_test(the_reason_names_the_llc),
        llc_test(threads_of_an_llc_are_not_its_cores),
        llc_test(a_back_end_of_the_whole_socket_is_in_both_llcs),
        llc_test(a_guest_in_a_whole_socket_takes_what_its_llcs_leave),
        llc_test(a_cpupool_holds_for_llcs),
        llc_test(one_socket_with_two_llcs_is_a_choice),
        llc_test(on_one_socket_an_unbound_back_end_attracts_no_guest),
        llc_test(a_gang_shares_an_llc),
        llc_test(a_gang_too_large_for_an_llc_shares_a_socket),
        llc_test(a_follower_goes_to_the_llc_of_its_partner),
        llc_test(hungry_guests_do_not_share_an_llc),
        llc_test(the_cache_of_one_socket_is_spread_too),
        llc_test(a_moved_guest_can_go_to_another_llc_of_the_place),
        llc_test(an_llc_that_became_too_full_is_left),
    };

    return run_tap_tests(tests);
}
