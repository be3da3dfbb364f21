/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The price of memory elsewhere, on random hosts of up to 4 nodes whose distances
 * differ: what holds whatever the numbers are.  Fails if memory elsewhere is ever
 * free, if more of it ever costs less, or if being anywhere is dearer than the
 * worst place.
 */
#include <math.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "placement/placement.h"
#include "placement/term.h"

#define ROUNDS 500

static uint64_t seed;
static struct placement p;

static double chance(void)
{
    return harness_random_below(&seed, 1000000) / 1e6;
}

static double price(unsigned int spot)
{
    return terms[TERM_MEMORY]->price(&p, 0, spot);
}

/* One unit with pages here and there; one cache on each node. */
static void make_host(void)
{
    unsigned int nr = 2 + harness_random_below(&seed, 3), i, k;
    double left = 1;

    placement_init(&p, nr, nr, 0, 1, 0);
    for (i = 0; i < nr; i++) {
        p.spots[i].place = i;
        p.cores[i] = p.usable[i] = 4;
        p.share[i] = p.stray[i] = 1.0 / nr;
        for (k = 0; k < nr; k++)
            if (i != k)
                p.remote[i * nr + k] = 20 + 200 * chance();
        p.pages[i] = i + 1 < nr ? left * chance() : left;
        left -= p.pages[i];
    }
    p.units[0] = (struct unit){
        .movable = true, .origin = ANYWHERE, .misses = 1 + 5e7 * chance(),
        .demand = { .vcpus = 1, .need = 0.5 },
    };
    placement_measure(&p);
}

/* All of its pages are on @place then. */
static void gather(unsigned int place)
{
    unsigned int i;

    for (i = 0; i < p.nr_places; i++)
        p.pages[i] = i == place;
}

static void for_each_host(void (*property)(void))
{
    unsigned int round;

    for (round = 0; round < ROUNDS; round++) {
        make_host();
        property();
        placement_free(&p);
    }
}

static void home_is_free(void)
{
    unsigned int home = harness_random_below(&seed, p.nr_places), i;

    gather(home);
    placement_ready(&p);
    for (i = 0; i < p.nr_spots; i++)
        if (i == home)
            assert_float_equal(price(i), 0, 1e-9);
        else
            assert_float_equal(price(i) / (p.units[0].misses *
                                           p.remote[i * p.nr_places + home]),
                               1, 1e-9);
}

static void twice_the_misses_cost_twice(void)
{
    double before[4];
    unsigned int i;

    placement_ready(&p);
    for (i = 0; i < p.nr_spots; i++)
        before[i] = price(i);
    p.units[0].misses *= 2;
    placement_ready(&p);
    for (i = 0; i < p.nr_spots; i++)
        assert_float_equal(price(i), 2 * before[i], 1e-6 * price(i) + 1e-9);
}

/* Pages come home from another node. */
static void memory_that_comes_makes_it_cheaper(void)
{
    unsigned int from = harness_random_below(&seed, p.nr_places);
    unsigned int to = (from + 1) % p.nr_places;
    double part = p.pages[from] * chance(), before;

    placement_ready(&p);
    before = price(to);
    p.pages[from] -= part;
    p.pages[to] += part;
    placement_ready(&p);
    assert_float_equal(before - price(to), part * p.units[0].misses *
                       p.remote[to * p.nr_places + from], 1e-6 * before + 1e-9);
}

static void anywhere_is_between(void)
{
    double least = INFINITY, most = 0;
    unsigned int i;

    placement_ready(&p);
    for (i = 0; i < p.nr_spots; i++) {
        least = fmin(least, price(i));
        most = fmax(most, price(i));
    }
    assert_true(price(ANYWHERE) >= least - 1e-6);
    assert_true(price(ANYWHERE) <= most * (1 + 1e-9));
}

static void what_nobody_knows_costs_nothing(void)
{
    unsigned int i;

    gather(ANYWHERE);
    placement_ready(&p);
    for (i = 0; i < p.nr_spots; i++)
        assert_float_equal(price(i), 0, 1e-9);
    assert_float_equal(price(ANYWHERE), 0, 1e-9);
}

#define PROPERTY(f)                   \
    static void always_##f(void **state) \
    {                                 \
        (void)state;                  \
        seed = 15;                    \
        for_each_host(f);             \
    }

PROPERTY(home_is_free)
PROPERTY(twice_the_misses_cost_twice)
PROPERTY(memory_that_comes_makes_it_cheaper)
PROPERTY(anywhere_is_between)
PROPERTY(what_nobody_knows_costs_nothing)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(always_home_is_free),
        cmocka_unit_test(always_twice_the_misses_cost_twice),
        cmocka_unit_test(always_memory_that_comes_makes_it_cheaper),
        cmocka_unit_test(always_anywhere_is_between),
        cmocka_unit_test(always_what_nobody_knows_costs_nothing),
    };

    return run_tap_tests(tests);
}
