/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes medians, their intervals, and ratios by bootstrap. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "base/alloc.h"
#include "statistics.h"

#define RESAMPLES 10000U
#define SEED 1

/* gsl_stats_median() puts its data into another order. */
static double median_of(const double *value, size_t nr, double *room)
{
    memcpy(room, value, nr * sizeof(*value));

    return gsl_stats_median(room, 1, nr);
}

/* @room: for @nr. */
static double resampled(const gsl_rng *rng, const double *value, size_t nr,
                        double *room)
{
    gsl_ran_sample(rng, room, nr, (double *)value, nr, sizeof(*value));

    return gsl_stats_median(room, 1, nr);
}

static void take_interval(double interval[2], double *resample, size_t nr)
{
    gsl_sort(resample, 1, nr);
    interval[0] = gsl_stats_quantile_from_sorted_data(resample, 1, nr, 0.025);
    interval[1] = gsl_stats_quantile_from_sorted_data(resample, 1, nr, 0.975);
}

/*
 * The k-th figure from either end, with the largest k of which less than 2.5 % of
 * all series have their true median beyond.
 */
static void take_order_interval(struct summary *s, const double *sorted)
{
    size_t k = 0;

    while (gsl_cdf_binomial_P(k, 0.5, s->nr) <= 0.025)
        k++;
    s->interval[0] = sorted[k - 1];
    s->interval[1] = sorted[s->nr - k];
}

void summary_make(struct summary *s, const double *value, size_t nr)
{
    double *room = need_memory(nr, sizeof(*room));
    int i;

    *s = (struct summary){ .nr = nr };
    memcpy(room, value, nr * sizeof(*value));
    gsl_sort(room, 1, nr);
    s->median = gsl_stats_median_from_sorted_data(room, 1, nr);
    for (i = 0; i < 2; i++)
        s->quartile[i] = gsl_stats_quantile_from_sorted_data(room, 1, nr,
                                                             i ? 0.75 : 0.25);
    if (nr >= STATISTICS_LEAST)
        take_order_interval(s, room);
    free(room);
}

bool summary_is_outlier(const struct summary *s, double value)
{
    double far = 1.5 * (s->quartile[1] - s->quartile[0]);

    return value < s->quartile[0] - far || value > s->quartile[1] + far;
}

/* False: a resample's first median is 0 or less, so there is no such part. */
static bool bootstrap_part(struct difference *d, const double *first,
                           size_t nr_first, const double *second,
                           size_t nr_second, double *room)
{
    double *resample = need_memory(RESAMPLES, sizeof(*resample));
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    bool good = true;
    unsigned int i;

    gsl_rng_set(rng, SEED);
    for (i = 0; i < RESAMPLES && good; i++) {
        double base = resampled(rng, first, nr_first, room);

        good = base > 0;
        resample[i] = resampled(rng, second, nr_second, room) / base - 1;
    }
    if (good)
        take_interval(d->interval, resample, RESAMPLES);
    gsl_rng_free(rng);
    free(resample);

    return good;
}

static enum verdict verdict_of(const struct difference *d)
{
    if (d->interval[0] > 0)
        return VERDICT_MORE;

    return d->interval[1] < 0 ? VERDICT_LESS : VERDICT_SAME;
}

void difference_make(struct difference *d, const double *first, size_t nr_first,
                     const double *second, size_t nr_second)
{
    double *room, base;

    *d = (struct difference){ .verdict = VERDICT_TOO_FEW };
    if (nr_first < STATISTICS_LEAST || nr_second < STATISTICS_LEAST)
        return;
    room = need_memory(nr_first + nr_second, sizeof(*room));
    base = median_of(first, nr_first, room);
    d->verdict = VERDICT_NO_BASE;
    if (base > 0) {
        d->part = median_of(second, nr_second, room) / base - 1;
        if (bootstrap_part(d, first, nr_first, second, nr_second, room))
            d->verdict = verdict_of(d);
    }
    free(room);
}
