/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the interval of a trial holds at every moment, and becomes narrow.
 *
 * Fails if a trial that is evaluated after each pair is wrong in more than 5 of 100 cases, if it
 * does not find a true difference in the time that a dry run predicts, or if too few pairs give a
 * bound.
 */
#include <math.h>
#include <stdlib.h>

#include "cmocka-tap.h"

#include "model/evidence.h"

#define ALPHA     0.05
#define SEQUENCES 2000

/* Box-Muller transform. */
static double normal(unsigned short state[3])
{
    double u = erand48(state), v = erand48(state);

    return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* Returns whether the interval of a sequence excludes its true mean at any moment. */
static bool is_ever_wrong(unsigned short state[3], double mean, double deviation,
                          unsigned int pairs)
{
    struct evidence e = { 0 };
    double low, high;
    unsigned int i;

    for (i = 0; i < pairs; i++) {
        evidence_add(&e, mean + deviation * normal(state));
        if (evidence_interval(&e, ALPHA, &low, &high) &&
            (mean < low || mean > high))
            return true;
    }

    return false;
}

static void looking_after_each_pair_is_wrong_in_5_of_100_at_most(void **state)
{
    unsigned short seed[3] = { 1, 2, 3 };
    unsigned int wrong = 0, i;

    (void)state;
    for (i = 0; i < SEQUENCES; i++)
        wrong += is_ever_wrong(seed, i % 2 ? 0 : -0.06, 0.05, 60);
    print_message("# excluded the true mean at any of 60 looks: %u of %u\n", wrong,
                  SEQUENCES);
    assert_true(wrong <= ALPHA * SEQUENCES);
}

static void a_difference_is_found_in_the_time_that_was_predicted(void **state)
{
    unsigned short seed[3] = { 4, 5, 6 };
    unsigned int pairs = evidence_needed(0.05, 0.03, ALPHA), found = 0, i, k;

    (void)state;
    assert_in_range(pairs, 5, 60);
    for (i = 0; i < 500; i++) {
        struct evidence e = { 0 };
        double low, high;

        /* With 1.645 standard errors beyond the radius it is found in 95 of 100 cases. */
        for (k = 0; k < pairs; k++)
            evidence_add(&e, -0.03 - 1.645 * 0.05 / sqrt(pairs) +
                         0.05 * normal(seed));
        found += evidence_interval(&e, ALPHA, &low, &high) && high < 0;
    }
    assert_true(found >= 450);
}

static void few_pairs_bound_nothing(void **state)
{
    struct evidence e = { 0 };
    double low, high;
    unsigned int i;

    (void)state;
    assert_false(evidence_interval(&e, ALPHA, &low, &high));
    for (i = 0; i < 3; i++) {
        evidence_add(&e, -0.5);
        assert_false(evidence_interval(&e, ALPHA, &low, &high));
    }
}

static void the_radius_falls_with_the_number_of_pairs(void **state)
{
    unsigned int n;

    (void)state;
    for (n = 5; n < 500; n++)
        assert_true(evidence_radius(1, n + 1, ALPHA) <
                    evidence_radius(1, n, ALPHA));
    n = evidence_needed(0.02, 0.01, ALPHA);
    assert_true(evidence_radius(0.02, n, ALPHA) <= 0.01);
    assert_true(evidence_radius(0.02, n - 1, ALPHA) > 0.01);
    assert_int_equal(evidence_needed(1, 1e-9, ALPHA), 0);
}

static void mean_and_deviation_are_those_of_the_differences(void **state)
{
    struct evidence e = { 0 };
    static const double differences[] = { 1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 6 };
    unsigned int i;

    (void)state;
    for (i = 0; i < 4; i++)
        evidence_add(&e, differences[i]);
    assert_true(fabs(e.mean - (1e6 + 3)) < 1e-9);
    assert_true(fabs(evidence_deviation(&e) - sqrt(14.0 / 3)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_after_each_pair_is_wrong_in_5_of_100_at_most),
        cmocka_unit_test(a_difference_is_found_in_the_time_that_was_predicted),
        cmocka_unit_test(few_pairs_bound_nothing),
        cmocka_unit_test(the_radius_falls_with_the_number_of_pairs),
        cmocka_unit_test(mean_and_deviation_are_those_of_the_differences),
    };

    return run_tap_tests(tests);
}
