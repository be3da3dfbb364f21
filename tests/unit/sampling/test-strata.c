/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks samples that stand for a whole run, on synthetic runs with known phases.  The estimate
 * must be near the truth, and its interval must contain the truth as often as it promises.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "sampling/strata.h"

#define INTERVALS 200
#define DIMS      3
#define TRIALS    400

static double x[INTERVALS][DIMS], y[INTERVALS];
static uint64_t seed;
static double drift; /* from one interval to the next; no vector shows it */

static double noise(void)
{
    double sum = 0;
    int i;

    for (i = 0; i < 12; i++)
        sum += (harness_random(&seed) >> 11) * 0x1p-53;

    return sum - 6;
}

/*
 * Makes phases one after the other, and again: their vectors and their values.  @hidden: the part
 * of the values that the vectors do not show.
 */
static double make_run(unsigned int phases, double hidden)
{
    double sum = 0;
    size_t i, d;

    for (i = 0; i < INTERVALS; i++) {
        unsigned int phase = i / 10 % phases;

        for (d = 0; d < DIMS; d++)
            x[i][d] = (phase * 7 + d * 3) % 5 + 0.1 * noise();
        y[i] = 100 * (1 + phase) * (1 + 0.02 * noise()) + hidden * noise() +
               drift * i;
        sum += y[i];
    }

    return sum / INTERVALS;
}

static struct strata choose(size_t wanted)
{
    struct strata s = {
        .nr = INTERVALS, .dims = DIMS, .x = &x[0][0],
        .seed = harness_random(&seed),
    };

    strata_make(&s, wanted);

    return s;
}

/* Returns in how many of 100 trials the interval contains the truth; *error: the mean error. */
static double trials(unsigned int phases, double hidden, size_t wanted,
                     double *error)
{
    unsigned int in = 0, trial;

    *error = 0;
    for (trial = 0; trial < TRIALS; trial++) {
        double truth = make_run(phases, hidden);
        struct strata s = choose(wanted);
        struct strata_estimate e;

        assert_true(strata_estimate(&s, y, NULL, &e));
        assert_true(e.has_interval);
        in += e.low <= truth && truth <= e.high;
        *error += fabs(e.mean - truth) / truth / TRIALS;
        strata_free(&s);
    }

    return 100.0 * in / TRIALS;
}

static void the_interval_has_the_truth_in_it(void **state)
{
    double error, in;

    (void)state;
    seed = 1;
    in = trials(1, 0, 10, &error);
    print_message("# 1 phase, 10 of 200: %.1f %%, error %.2f %%\n", in,
                  100 * error);
    assert_true(in >= 90);
    in = trials(3, 0, 10, &error);
    print_message("# 3 phases, 10 of 200: %.1f %%, error %.2f %%\n", in,
                  100 * error);
    assert_true(in >= 90 && error < 0.03);
    in = trials(4, 20, 20, &error);
    print_message("# 4 phases, vectors tell half of it, 20 of 200: %.1f %%, "
                  "error %.2f %%\n", in, 100 * error);
    assert_true(in >= 90 && error < 0.05);
}

/* The first ones of each kind would not represent the rest. */
static void they_are_drawn_at_random(void **state)
{
    double error, in;

    (void)state;
    seed = 6;
    drift = 1;
    in = trials(2, 0, 20, &error);
    drift = 0;
    print_message("# 2 phases and a drift, 20 of 200: %.1f %%, error %.2f %%\n",
                  in, 100 * error);
    assert_true(in >= 90);
}

static void strata_are_better_than_chance(void **state)
{
    double strata = 0, chance = 0;
    unsigned int trial;

    (void)state;
    seed = 2;
    for (trial = 0; trial < TRIALS; trial++) {
        double truth = make_run(4, 0), sum = 0;
        struct strata s = choose(12);
        struct strata_estimate e;
        size_t i;

        strata_estimate(&s, y, NULL, &e);
        strata += fabs(e.mean - truth);
        for (i = 0; i < 12; i++)
            sum += y[harness_random_below(&seed, INTERVALS)];
        chance += fabs(sum / 12 - truth);
        strata_free(&s);
    }
    assert_true(strata * 5 < chance);
}

/* k-means ends in worse results from some starts, but the best attempt counts. */
static void strata_are_the_phases(void **state)
{
    unsigned int trial;

    (void)state;
    seed = 9;
    for (trial = 0; trial < TRIALS; trial++) {
        struct strata s;
        size_t i;

        make_run(4, 0);
        s = choose(8);
        for (i = 0; i < INTERVALS; i++)
            assert_int_equal(s.stratum[i], s.stratum[i % 40 / 10 * 10]);
        strata_free(&s);
    }
}

static void as_many_are_chosen_as_were_wanted(void **state)
{
    size_t wanted, i;

    (void)state;
    seed = 3;
    make_run(4, 0);
    for (wanted = 4; wanted <= INTERVALS; wanted += 14) {
        struct strata s = choose(wanted);
        double weights = 0;
        size_t nr = 0;

        for (i = 0; i < INTERVALS; i++) {
            nr += s.chosen[i];
            weights += strata_weight(&s, i);
        }
        assert_int_equal(nr, wanted);
        assert_true(fabs(weights - INTERVALS) < 1e-6);
        strata_free(&s);
    }
}

static void all_of_them_are_the_truth(void **state)
{
    double truth;
    struct strata s;
    struct strata_estimate e;

    (void)state;
    seed = 4;
    truth = make_run(3, 10);
    s = choose(INTERVALS + 5);
    assert_true(strata_estimate(&s, y, NULL, &e));
    assert_true(fabs(e.mean - truth) < 1e-6 && e.low == e.high);
    strata_free(&s);
}

static void the_same_seed_chooses_the_same(void **state)
{
    struct strata a = { .nr = INTERVALS, .dims = DIMS, .x = &x[0][0], .seed = 7 };
    struct strata b = a;

    (void)state;
    seed = 5;
    make_run(4, 0);
    strata_make(&a, 10);
    strata_make(&b, 10);
    assert_memory_equal(a.chosen, b.chosen, INTERVALS * sizeof(*a.chosen));
    strata_free(&a);
    strata_free(&b);
}

static void few_and_none(void **state)
{
    struct strata none = { .nr = 0, .dims = DIMS, .x = &x[0][0] };
    struct strata one = { .nr = 1, .dims = DIMS, .x = &x[0][0] };
    struct strata same = { .nr = 50, .dims = DIMS };
    struct strata_estimate e;
    double *zero = calloc(50 * DIMS, sizeof(*zero));
    size_t i, nr = 0;

    (void)state;
    strata_make(&none, 10);
    assert_false(strata_estimate(&none, y, NULL, &e));
    strata_free(&none);
    strata_make(&one, 10);
    assert_true(one.chosen[0]);
    assert_true(strata_estimate(&one, y, NULL, &e) && e.mean == y[0]);
    strata_free(&one);
    same.x = zero;
    strata_make(&same, 10);
    assert_int_equal(same.nr_strata, 1);
    for (i = 0; i < 50; i++)
        nr += same.chosen[i];
    assert_int_equal(nr, 10);
    strata_free(&same);
    free(zero);
}

/* Sizes explain more of the differences than strata do. */
static void values_in_proportion_to_the_size_are_estimated(void **state)
{
    double size[INTERVALS], with = 0, without = 0;
    unsigned int in = 0, trial;

    (void)state;
    seed = 8;
    for (trial = 0; trial < TRIALS; trial++) {
        struct strata_estimate sized, plain;
        double truth = 0;
        struct strata s;
        size_t i;

        make_run(3, 0);
        for (i = 0; i < INTERVALS; i++) {
            size[i] = 40 + harness_random_below(&seed, 40);
            y[i] *= size[i];
            truth += y[i] / INTERVALS;
        }
        s = choose(12);
        assert_true(strata_estimate(&s, y, size, &sized));
        assert_true(strata_estimate(&s, y, NULL, &plain));
        in += sized.low <= truth && truth <= sized.high;
        with += fabs(sized.mean - truth) / truth / TRIALS;
        without += fabs(plain.mean - truth) / truth / TRIALS;
        strata_free(&s);
    }
    print_message("# sizes of 40 to 79, 12 of 200: %.1f %%, error %.2f %%, without "
                  "them %.2f %%\n", 100.0 * in / TRIALS, 100 * with, 100 * without);
    assert_true(in >= 0.9 * TRIALS && with * 5 < without);
}

static void one_of_a_stratum_says_nothing_of_the_others(void **state)
{
    unsigned int stratum[4] = { 0, 0, 0, 0 };
    bool chosen[4] = { true, false, false, false };
    struct strata s = {
        .nr = 4, .nr_strata = 1, .stratum = stratum, .chosen = chosen,
    };
    struct strata_estimate e;

    (void)state;
    assert_true(strata_estimate(&s, y, NULL, &e));
    assert_false(e.has_interval);
    chosen[0] = false;
    assert_false(strata_estimate(&s, y, NULL, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_has_the_truth_in_it),
        cmocka_unit_test(they_are_drawn_at_random),
        cmocka_unit_test(strata_are_better_than_chance),
        cmocka_unit_test(strata_are_the_phases),
        cmocka_unit_test(as_many_are_chosen_as_were_wanted),
        cmocka_unit_test(all_of_them_are_the_truth),
        cmocka_unit_test(the_same_seed_chooses_the_same),
        cmocka_unit_test(few_and_none),
        cmocka_unit_test(values_in_proportion_to_the_size_are_estimated),
        cmocka_unit_test(one_of_a_stratum_says_nothing_of_the_others),
    };

    return run_tap_tests(tests);
}
