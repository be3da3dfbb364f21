/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy cache: guests with many cache misses are spread over places; and
 * what is counted as one.  2 sockets of 4 cores.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "host/pmc.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL
#define MANY    20e6

static int setup(void **state)
{
    (void)state;
    world_begin("cache", &policy_defaults, 2, 4, 1);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();

    return 0;
}

static unsigned int guest_on(unsigned int cpu, double misses)
{
    unsigned int domid = world_guest(1, 0.5);

    world.domains[domid].cpu = cpu;
    world.domains[domid].misses = misses;

    return domid;
}

static void hungry_guests_do_not_share_a_cache(void **state)
{
    unsigned int a = guest_on(0, MANY), b = guest_on(1, 2 * MANY);
    unsigned int modest = guest_on(2, 1e6);

    (void)state;
    world_warm_up();
    world_run(8);
    assert_int_equal(world.domains[b].moves, 1);
    assert_int_equal(world.domains[b].sent, PLACE_1);
    world_run(200);
    assert_int_equal(world_moves(), 1);
    assert_int_equal(world.domains[b].backs, 0);
    world_says(b, "it has 41.4 million cache misses/s");
    world_says(b, "where it was, there are 1 such, while here there are 1");
    world_says(a, "one of 1 such on socket 0");
    world_says(modest, "it has 1.0 million cache misses/s, 5 are many");
}

static void the_guest_with_least_to_lose_goes(void **state)
{
    unsigned int a = guest_on(0, 2 * MANY), b = guest_on(1, MANY);

    (void)state;
    world.domains[0].hard = PLACE_0;
    world_talk(a, 0, 40);
    world_warm_up();
    world_run(10);
    assert_int_equal(world.domains[b].moves, 1);
    assert_int_equal(world_moves(), 1);
}

static void a_guest_with_much_to_lose_stays(void **state)
{
    unsigned int a = guest_on(0, MANY), b = guest_on(1, MANY);

    (void)state;
    world.domains[0].hard = PLACE_0;
    world_talk(a, 0, 200);
    world_talk(b, 0, 200);
    world_warm_up();
    world_run(30);
    assert_int_equal(world_moves(), 0);
    world_says(a, "has more to lose than others (2");
}

static void four_of_them_are_two_and_two(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 4; i++)
        guest_on(i, MANY);
    world_warm_up();
    world_run(60);
    assert_int_equal(world_moves(), 2);
    /* Three and two is as good as it gets. */
    guest_on(0, MANY);
    world_run(60);
    assert_int_equal(world_moves(), 2);
}

static void a_guest_that_is_hungry_no_more_goes_back(void **state)
{
    unsigned int a = guest_on(0, MANY), b = guest_on(1, 2 * MANY);

    (void)state;
    world_warm_up();
    world_run(20);
    assert_int_equal(world.domains[b].moves, 1);
    /* Half of what makes hungry is enough to remain it. */
    world.domains[b].misses = 3e6;
    world_run(100);
    assert_int_equal(world.domains[b].backs, 0);
    world.domains[b].misses = 1e6;
    world_run(100);
    assert_int_equal(world.domains[b].backs, 1);
    assert_int_equal(world.domains[a].moves, 0);
}

/* As perf's "cache-misses". */
static void what_is_counted_depends_on_the_processor(void **state)
{
    (void)state;
    assert_int_equal(pmc_misses_of("GenuineIntel", 6), 0x3412e);
    assert_int_equal(pmc_misses_of("AuthenticAMD", 0x19), 0x30964);
    assert_int_equal(pmc_misses_of("AuthenticAMD", 0x10), 0x3077e);
    assert_int_equal(pmc_misses_of("HygonGenuine", 0x18), 0x30964);
    assert_int_equal(pmc_misses_of("CentaurHauls", 7), 0);
}

#define cache_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cache_test(hungry_guests_do_not_share_a_cache),
        cache_test(the_guest_with_least_to_lose_goes),
        cache_test(a_guest_with_much_to_lose_stays),
        cache_test(four_of_them_are_two_and_two),
        cache_test(a_guest_that_is_hungry_no_more_goes_back),
        cache_test(what_is_counted_depends_on_the_processor),
    };

    return run_tap_tests(tests);
}
