/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests placement in ns/s: the prices of all units add up to the cost of the host, the search
 * keeps to the allowed places and finds nearly the best placement, and it moves no guest without
 * a gain.  Hosts are random, and made of numbers only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "placement/joint.h"
#include "placement/search.h"
#include "placement/term.h"

#define HOSTS    50

#define MAX_UNITS 128

#define RESTARTS 100

static uint64_t seed;

/* A part of the load of a busy host. */
static double busy;

static unsigned int below(unsigned int n)
{
    return harness_random_below(&seed, n);
}

static double chance(void)
{
    return below(1000000) / 1e6;
}

/* Hosts. */

struct shape {
    unsigned int places, caches; /* of each place */
    unsigned int cores;          /* of each cache */
    unsigned int threads;        /* of each core; 0: 1 */
    unsigned int units, talks;
    bool anywhere;               /* units begin there */
};

static void make_spots(struct placement *p, const struct shape *s)
{
    unsigned int i, k;

    for (i = 0; i < p->nr_caches; i++) {
        p->spots[i].place = i / s->caches;
        p->cores[i] = s->cores;
        p->threads[i] = s->threads * s->cores;
    }
    for (i = p->nr_caches; i < p->nr_spots; i++) {
        p->spots[i] = spot_of_place(i - p->nr_caches);
        p->cores[i] = s->caches * s->cores;
    }
    for (i = 0; i < s->places; i++)
        for (k = 0; k < s->places; k++)
            if (i != k) {
                p->apart[i * s->places + k] = 1;
                p->remote[i * s->places + k] = 60;
            }
    placement_measure(p);
}

static void make_unit(struct placement *p, const struct shape *s,
                      unsigned int unit)
{
    struct unit *u = &p->units[unit];
    unsigned int runs = below(p->nr_caches), i;

    u->demand.vcpus = 1 + below(s->cores < 4 ? s->cores : 4);
    u->demand.need = busy * chance() * u->demand.vcpus * 0.6;
    u->misses = u->demand.need * 1e6;
    u->misses_counted = below(4) == 0;
    if (u->misses_counted)
        u->misses *= 5;
    u->movable = below(10) != 0;
    u->bound = !u->movable;
    if (!u->movable || !s->anywhere) {
        u->origin = below(p->nr_caches);
        u->bound |= below(2);
    }
    for (i = 0; i < p->nr_spots; i++)
        p->usable[unit * p->nr_spots + i] = p->cores[i];
    for (i = 0; i < p->nr_caches; i++) {
        p->share[unit * p->nr_caches + i] = i == runs;
        p->stray[unit * p->nr_caches + i] = (i == runs) / 2.0 +
                                            0.5 / p->nr_caches;
    }
    if (below(2))
        p->pages[unit * p->nr_places + below(p->nr_places)] = 1;
}

struct pair {
    unsigned int a, b;
    double rate;
};

static void add_partner(struct placement *p, unsigned int *at, unsigned int b,
                        double rate)
{
    p->partners[(*at)++] = (struct partner){
        .unit = b, .notifications = rate, .pages = rate / 2,
        .lines = rate * (p->prices.notification + p->prices.page / 2),
    };
}

static void make_talk(struct placement *p, const struct shape *s)
{
    struct pair *pairs = calloc(s->talks, sizeof(*pairs));
    unsigned int i, k, at = 0;

    for (i = 0; i < s->talks; i++) {
        pairs[i].a = below(s->units);
        /* Half of it within gangs, which are hard to find by chance. */
        pairs[i].b = below(2) ? below(s->units)
                              : (pairs[i].a / 4 * 4 + below(4)) % s->units;
        pairs[i].rate = pairs[i].a == pairs[i].b ? 0 : busy * (1U << below(14));
    }
    for (i = 0; i < s->units; i++) {
        p->units[i].first = at;
        for (k = 0; k < s->talks; k++) {
            if (pairs[k].a == i)
                add_partner(p, &at, pairs[k].b, pairs[k].rate);
            if (pairs[k].b == i)
                add_partner(p, &at, pairs[k].a, pairs[k].rate);
        }
        p->units[i].nr = at - p->units[i].first;
    }
    free(pairs);
}

static void make_host(struct placement *p, const struct shape *s)
{
    unsigned int i;

    placement_init(p, s->places, s->places * s->caches,
                   s->caches > 1 ? s->places : 0, s->units, 2 * s->talks);
    make_spots(p, s);
    for (i = 0; i < s->units; i++)
        make_unit(p, s, i);
    make_talk(p, s);
    placement_ready(p);
}

static struct shape random_shape(void)
{
    struct shape s = {
        .places = 2 + below(5), .caches = 1 + below(2) * below(3),
        .cores = 2 + below(4), .threads = 1 + below(2), .anywhere = below(2),
    };

    s.units = 4 + below(s.places * s.caches * s.cores);
    assert_true(s.units <= MAX_UNITS);
    s.talks = 2 * s.units;

    return s;
}

/* What all of it costs, by another way than prices of units. */
static double total(const struct placement *p)
{
    double sum = 0;
    unsigned int i, k, c;

    for (i = 0; i < p->nr_units; i++) {
        const struct unit *u = &p->units[i];

        for (k = u->first; k < u->first + u->nr; k++)
            sum += p->partners[k].lines / 2 *
                   placement_line(p, i, u->at, p->partners[k].unit);
        sum += u->at == ANYWHERE ? p->memory_stray[i]
                                 : p->memory[i * p->nr_spots + u->at];
        for (c = 0; c < p->nr_caches && u->misses_counted; c++) {
            double mine = placement_part(p, i, u->at, c) * u->misses;

            sum += mine * (p->missed[c] - mine) / p->prices.hunger *
                   p->prices.eaten * p->prices.memory_local;
        }
    }
    for (i = 0; i < p->nr_places; i++) {
        double waits = crowd_excess(&p->crowd[i], p->place_threads[i]);
        double beside = crowd_excess(&p->crowd[i], p->place_cores[i]) - waits;

        sum += 1e9 * (waits + p->prices.sibling * beside +
                      p->queueing * crowd_queue(&p->crowd[i], p->place_threads[i]));
    }

    return sum;
}

/* Promises. */

static void prices_are_what_the_host_pays(void **state)
{
    unsigned int host, i, unit, to;

    (void)state;
    for (host = 0; host < HOSTS; host++) {
        struct shape s = random_shape();
        struct placement p;

        make_host(&p, &s);
        for (i = 0; i < 50; i++) {
            double before = total(&p), difference;

            unit = below(s.units);
            to = below(p.nr_spots);
            difference = terms_price(&p, unit, to) -
                         terms_price(&p, unit, p.units[unit].at);
            placement_move(&p, unit, to);
            assert_float_equal(total(&p) - before, difference,
                               1e-6 * (before + fabs(difference)) + 1e-3);
        }
        placement_free(&p);
    }
}

static void check_room(const struct placement *p)
{
    unsigned int i;

    for (i = 0; i < p->nr_units; i++) {
        const struct unit *u = &p->units[i];

        if (!u->movable)
            assert_int_equal(u->at, u->origin);
        if (u->at == u->origin)
            continue;
        assert_true(p->usable[i * p->nr_spots + u->at] >= u->demand.vcpus);
        assert_true(placement_holds(p, i));
    }
}

static void the_search_keeps_to_what_is_possible(void **state)
{
    unsigned int host, i;

    (void)state;
    for (host = 0; host < HOSTS; host++) {
        struct shape s = random_shape();
        struct placement p;
        double before;

        make_host(&p, &s);
        /* As if one spot were in another cpupool. */
        for (i = 0; i < s.units; i++) {
            unsigned int spot = below(p.nr_caches);

            if (s.caches == 1 && spot != p.units[i].origin)
                p.usable[i * p.nr_spots + spot] = 0;
        }
        before = total(&p);
        search_run(&p, search_effort(&p, 1));
        assert_true(total(&p) <= before * (1 + 1e-9) + 1);
        check_room(&p);
        placement_free(&p);
    }
}

/* Searches with thresholds for moves; returns the total before that. */
static double plan_moves(struct placement *p)
{
    double before = total(p);

    p->least = 2e6;
    p->margin = 0.1;
    p->horizon = 60;
    search_prepare(p);
    search_run(p, search_effort(p, 1));

    return before;
}

static void a_unit_that_moves_gains_its_threshold(void **state)
{
    unsigned int host, i, moved = 0;

    (void)state;
    for (host = 0; host < HOSTS; host++) {
        struct shape s = random_shape();
        struct placement p;
        double thresholds = 0, before;

        make_host(&p, &s);
        before = plan_moves(&p);
        for (i = 0; i < s.units; i++)
            if (p.units[i].at != p.units[i].origin) {
                thresholds += p.units[i].threshold;
                moved++;
            }
        assert_true(before - total(&p) >= thresholds * (1 - 1e-9) - 1);
        placement_free(&p);
    }
    assert_true(moved > HOSTS);
}

/* Makes a plan, of which only some units can move; returns how many do. */
static unsigned int move_some(struct placement *p, bool *goes, unsigned int *asked)
{
    unsigned int *spots = calloc(p->nr_units, sizeof(*spots)), i, went = 0;
    unsigned int all = below(4) == 0;

    for (i = 0; i < p->nr_units; i++) {
        spots[i] = p->units[i].at;
        goes[i] = spots[i] != p->units[i].origin && (all || below(2));
        *asked += goes[i];
    }
    joint_moves(p, goes);
    for (i = 0; i < p->nr_units; i++) {
        assert_int_equal(p->units[i].at, goes[i] ? spots[i] : p->units[i].origin);
        went += goes[i];
    }
    free(spots);

    return went;
}

static void a_part_of_a_plan_has_room_and_gains_its_thresholds(void **state)
{
    unsigned int host, i, went = 0, asked = 0;
    bool goes[MAX_UNITS];

    (void)state;
    for (host = 0; host < HOSTS; host++) {
        struct shape s = random_shape();
        struct placement p;
        double thresholds = 0, before;

        make_host(&p, &s);
        before = plan_moves(&p);
        went += move_some(&p, goes, &asked);
        check_room(&p);
        for (i = 0; i < s.units; i++)
            thresholds += goes[i] ? p.units[i].threshold : 0;
        assert_true(before - total(&p) >= thresholds * (1 - 1e-9) - 1);
        placement_free(&p);
    }
    print_message("# of %u moves that were possible %u are made\n", asked, went);
    assert_true(went > asked / 2 && went < asked);
}

/*
 * 2 places of 4 cores of each of two cpupools.  In both, two guests change places; all memory is at
 * place 1.  In pool 0 each has room only where the other was, in pool 1 everywhere.
 */
static void begin_exchanges(struct placement *p, double gain)
{
    static const struct shape shape = {
        .places = 2, .caches = 1, .cores = 4, .units = 4,
    };
    unsigned int i;

    placement_init(p, 2, 2, 0, 4, 0);
    p->nr_pools = 2;
    make_spots(p, &shape);
    for (i = 0; i < 4; i++) {
        p->units[i] = (struct unit){
            .movable = true, .origin = i % 2, .bound = true, .pool = i / 2,
            .demand = { i < 2 ? 3 : 1, i < 2 ? 3 : 1 },
            .misses = i % 2 ? 1e6 : gain * 1e6,
        };
        p->usable[2 * i] = p->usable[2 * i + 1] = 4;
        p->pages[2 * i + 1] = 1;
    }
    placement_ready(p);
    for (i = 0; i < 4; i++)
        placement_move(p, i, 1 - i % 2);
}

/*
 * Units 1 and 3 lose.  Unit 1 makes room: it stays if unit 0 cannot come, or would gain less than it
 * loses.  No unit needs the room of unit 3.
 */
static void a_guest_makes_room_only_for_one_that_comes(void **state)
{
    static const struct {
        double gain;
        bool can[4], goes[4];
    } cases[] = {
        { 2.0, { true, true, true, true }, { true, true, true, false } },
        { 0.5, { true, true, true, true }, { false, false, true, false } },
        { 2.0, { true, false, false, false }, { false } },
        { 2.0, { false, true, false, true }, { false } },
        { 2.0, { true, true, false, true }, { true, true, false, false } },
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct placement p;
        bool goes[4];

        memcpy(goes, cases[i].can, sizeof(goes));
        begin_exchanges(&p, cases[i].gain);
        joint_moves(&p, goes);
        assert_memory_equal(goes, cases[i].goes, sizeof(goes));
        placement_free(&p);
    }
}

static void the_same_host_has_the_same_result(void **state)
{
    uint64_t again = seed;
    unsigned int *at, i, k;

    (void)state;
    for (i = 0; i < 2; i++) {
        struct shape s;
        struct placement p;

        seed = again;
        s = random_shape();
        make_host(&p, &s);
        if (!i)
            at = calloc(s.units, sizeof(*at));
        search_run(&p, search_effort(&p, 1));
        for (k = 0; k < s.units; k++)
            if (i)
                assert_int_equal(at[k], p.units[k].at);
            else
                at[k] = p.units[k].at;
        placement_free(&p);
    }
    free(at);
}

/* From any beginning that is possible. */
static void shuffle(struct placement *p)
{
    unsigned int i, spot, tries;

    for (i = 0; i < p->nr_units; i++)
        for (tries = 0; p->units[i].movable && tries < 8; tries++) {
            spot = below(p->nr_spots);
            if (placement_fits(p, i, spot)) {
                placement_move(p, i, spot);
                break;
            }
        }
}

/* The effort where much can be saved. */
static double full_effort(const struct placement *p)
{
    return fmin(fmax(500.0 * p->nr_units * p->nr_spots, 10000), 200000);
}

/* Returns on how many hosts the search is more than 5 % and 0.1 ms/s above the best. */
static unsigned int miss_the_best(void)
{
    unsigned int host, i, k, missed = 0;
    double worst = 0;

    for (host = 0; host < HOSTS; host++) {
        struct shape s = random_shape();
        struct placement p;
        double found, best = INFINITY;

        make_host(&p, &s);
        search_run(&p, search_effort(&p, 1));
        found = total(&p);
        for (i = 0; i < RESTARTS; i++) {
            for (k = 0; k < s.units; k++)
                placement_move(&p, k, p.units[k].origin);
            shuffle(&p);
            search_run(&p, full_effort(&p) / RESTARTS);
            best = fmin(best, total(&p));
        }
        worst = fmax(worst, best > 0 ? found / best - 1 : 0);
        missed += found > best * 1.05 + 1e5;
        placement_free(&p);
    }
    print_message("# %u of %u hosts are not, the worst by %.1f %%\n", missed,
                  HOSTS, 100 * worst);

    return missed;
}

static void nearly_all_are_within_5_percent_of_the_best_of_100_restarts(void **state)
{
    (void)state;
    for (busy = 1; busy > 0.005; busy /= 10)
        assert_true(miss_the_best() <= 1);
}

static void a_search_takes_little_of_what_it_can_save(void **state)
{
    unsigned int host;

    (void)state;
    for (host = 0; host < HOSTS; host++) {
        struct shape s = random_shape();
        struct placement p;
        double pairs, ns, seconds;

        busy = pow(0.1, host % 5);
        make_host(&p, &s);
        pairs = (double)p.nr_units * p.nr_spots;
        /* Searches that are made more often share what one per second may take. */
        for (seconds = 3; seconds > 0.01; seconds /= 3) {
            double part = fmin(seconds, 1);

            ns = 100.0 * search_effort(&p, seconds);
            /* Each pair is in the prices of both. */
            assert_true(ns <= fmax(0.02 * 2 * total(&p) * part, 100 * 20 * pairs));
            assert_true(ns <= fmax(100 * full_effort(&p) * part, 100 * 20 * pairs));
            assert_true(ns >= 100 * fmin(20 * pairs, full_effort(&p)));
        }
        placement_free(&p);
    }
}

/* 2 places of 4 cores; unit 0 is bound to the first one. */
static void begin_two(struct placement *p, double rate)
{
    static const struct shape shape = {
        .places = 2, .caches = 1, .cores = 4, .units = 2, .talks = 1,
    };

    placement_init(p, 2, 2, 0, 2, 2);
    make_spots(p, &shape);
    p->units[0] = (struct unit){ .bound = true, .demand = { 0.5, 2 },
                                 .nr = 1 };
    p->units[1] = (struct unit){ .movable = true, .origin = 1,
                                 .demand = { 0.5, 1 }, .misses = 1e6,
                                 .first = 1, .nr = 1 };
    p->usable[2] = p->usable[3] = 4;
    p->partners[0] = (struct partner){
        .unit = 1, .notifications = rate, .lines = rate * 66,
    };
    p->partners[1] = (struct partner){
        .unit = 0, .notifications = rate, .lines = rate * 66,
    };
}

/* A miss in memory of the other node costs 60 ns more, a line 87. */
static void a_guest_with_memory_elsewhere_goes_if_it_pays(void **state)
{
    static const struct {
        double rate, pages;
        unsigned int goes;
    } cases[] = {
        { 5000, 1.0, 1 }, { 20000, 1.0, 0 }, { 5000, 0.3, 0 },
    };
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        struct placement p;

        begin_two(&p, cases[i].rate);
        p.pages[2] = 1 - cases[i].pages;
        p.pages[3] = cases[i].pages;
        placement_ready(&p);
        assert_float_equal(terms[TERM_MEMORY]->price(&p, 1, 0),
                           1e6 * cases[i].pages * 60, 1);
        assert_float_equal(terms[TERM_TALK]->price(&p, 1, 1) -
                           terms[TERM_TALK]->price(&p, 1, 0),
                           cases[i].rate * 66 * 87, 1);
        search_run(&p, search_effort(&p, 1));
        assert_int_equal(p.units[1].at, cases[i].goes);
        placement_free(&p);
    }
}

static void a_gain_below_the_least_moves_no_unit(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 2; i++) {
        struct placement p;

        begin_two(&p, 100);
        p.least = i ? 0.5e6 : 0.6e6;
        placement_ready(&p);
        search_prepare(&p);
        search_run(&p, search_effort(&p, 1));
        assert_int_equal(p.units[1].at, !i);
        placement_free(&p);
    }
}

static int begin(void **state)
{
    (void)state;
    seed = 4711;
    busy = 1;

    return 0;
}

#define placement_test(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        placement_test(prices_are_what_the_host_pays),
        placement_test(the_search_keeps_to_what_is_possible),
        placement_test(a_unit_that_moves_gains_its_threshold),
        placement_test(a_part_of_a_plan_has_room_and_gains_its_thresholds),
        placement_test(a_guest_makes_room_only_for_one_that_comes),
        placement_test(the_same_host_has_the_same_result),
        placement_test(nearly_all_are_within_5_percent_of_the_best_of_100_restarts),
        placement_test(a_search_takes_little_of_what_it_can_save),
        placement_test(a_guest_with_memory_elsewhere_goes_if_it_pays),
        placement_test(a_gain_below_the_least_moves_no_unit),
    };

    return run_tap_tests(tests);
}
