/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that statements about figures are true as often as they promise, on synthetic series whose
 * truth is known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "cmocka-tap.h"

#include "runs/statistics.h"

#define SERIES 300
#define MOST 40

static gsl_rng *rng;

/* Makes realistic times around @base: some noise, and a long tail. */
static void make_series(double *value, size_t nr, double base)
{
    size_t i;

    for (i = 0; i < nr; i++)
        value[i] = base * (1 + gsl_ran_exponential(rng, 0.02));
}

static double true_median(double base)
{
    return base * (1 + 0.02 * log(2));
}

static void two_alike_are_told_apart_in_5_of_100_at_most(void **state)
{
    static const size_t sizes[] = { 6, 7, 10 };
    double first[MOST], second[MOST];
    struct difference d;
    unsigned int i, j;

    (void)state;
    for (i = 0; i < 3; i++) {
        unsigned int wrong = 0;

        for (j = 0; j < SERIES; j++) {
            make_series(first, sizes[i], 1);
            make_series(second, sizes[i], 1);
            difference_make(&d, first, sizes[i], second, sizes[i]);
            wrong += d.verdict != VERDICT_SAME;
        }
        /* 15 are expected at most; 27 come once in 1000 tests by chance. */
        assert_in_range(wrong, 1, 27);
    }
}

static void the_interval_has_the_true_part_in_it(void **state)
{
    double first[MOST], second[MOST];
    struct difference d;
    unsigned int i, within = 0;

    (void)state;
    for (i = 0; i < SERIES; i++) {
        make_series(first, 12, 1);
        make_series(second, 12, 1.1);
        difference_make(&d, first, 12, second, 12);
        assert_true(d.interval[0] <= d.part && d.part <= d.interval[1]);
        within += d.interval[0] <= 0.1 && 0.1 <= d.interval[1];
        assert_int_equal(d.verdict, VERDICT_MORE);
    }
    assert_in_range(within, SERIES * 92 / 100, SERIES - 1);
}

static void the_interval_of_a_median_has_it_in_95_of_100(void **state)
{
    static const size_t sizes[] = { 6, 7, 9, 10, 20, 40 };
    double value[MOST];
    struct summary s;
    unsigned int i, j;

    (void)state;
    for (i = 0; i < 6; i++) {
        unsigned int within = 0;

        for (j = 0; j < 10 * SERIES; j++) {
            make_series(value, sizes[i], 1);
            summary_make(&s, value, sizes[i]);
            within += s.interval[0] <= true_median(1) &&
                      true_median(1) <= s.interval[1];
        }
        assert_in_range(within, 10 * SERIES * 94 / 100, 10 * SERIES - 1);
    }
}

static void order_and_unit_do_not_matter(void **state)
{
    double first[MOST], second[MOST], same[MOST];
    struct summary s, t;
    struct difference d, e;
    unsigned int i;

    (void)state;
    make_series(first, 11, 1);
    make_series(second, 11, 1.01);
    memcpy(same, first, sizeof(same));
    gsl_ran_shuffle(rng, same, 11, sizeof(*same));
    summary_make(&s, first, 11);
    summary_make(&t, same, 11);
    assert_memory_equal(&s, &t, sizeof(s));
    difference_make(&d, first, 11, second, 11);
    difference_make(&e, first, 11, second, 11);
    assert_memory_equal(&d, &e, sizeof(d));
    for (i = 0; i < 11; i++) {
        first[i] *= 1024;
        second[i] *= 1024;
    }
    difference_make(&e, first, 11, second, 11);
    assert_memory_equal(&d, &e, sizeof(d));
}

static void known_figures(void **state)
{
    const double value[] = { 9, 1, 3, 2, 5, 4, 100, 6, 8, 7 };
    struct summary s;

    (void)state;
    summary_make(&s, value, 10);
    assert_true(s.median == 5.5);
    assert_true(s.quartile[0] == 3.25 && s.quartile[1] == 7.75);
    /* The second values from both ends of 10: 97.9 %. */
    assert_true(s.interval[0] == 2 && s.interval[1] == 9);
    assert_true(summary_is_outlier(&s, 100));
    assert_false(summary_is_outlier(&s, 9) || summary_is_outlier(&s, 1));
    summary_make(&s, value, 1);
    assert_true(s.median == 9 && s.quartile[0] == 9 && s.quartile[1] == 9);
}

static void no_verdict_without_a_base_or_enough(void **state)
{
    const double zero[10] = { 0 }, one[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const double below[10] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
    struct difference d;

    (void)state;
    difference_make(&d, zero, 10, one, 10);
    assert_int_equal(d.verdict, VERDICT_NO_BASE);
    difference_make(&d, below, 10, one, 10);
    assert_int_equal(d.verdict, VERDICT_NO_BASE);
    difference_make(&d, one, 5, one, 10);
    assert_int_equal(d.verdict, VERDICT_TOO_FEW);
    difference_make(&d, one, 10, one, 5);
    assert_int_equal(d.verdict, VERDICT_TOO_FEW);
    difference_make(&d, one, 10, one, 10);
    assert_int_equal(d.verdict, VERDICT_SAME);
    difference_make(&d, one, 10, zero, 10);
    assert_int_equal(d.verdict, VERDICT_LESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_alike_are_told_apart_in_5_of_100_at_most),
        cmocka_unit_test(the_interval_has_the_true_part_in_it),
        cmocka_unit_test(the_interval_of_a_median_has_it_in_95_of_100),
        cmocka_unit_test(order_and_unit_do_not_matter),
        cmocka_unit_test(known_figures),
        cmocka_unit_test(no_verdict_without_a_base_or_enough),
    };
    int failed;

    rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 7);
    failed = run_tap_tests(tests);
    gsl_rng_free(rng);

    return failed;
}
