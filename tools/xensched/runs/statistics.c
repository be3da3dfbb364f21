/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes medians, their intervals, and ratios by bootstrap; and groups the figures of an
 * experiment by workload and configuration.
 */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "base/alloc.h"
#include "statistics.h"
#include "values.h"

#define RESAMPLES 10000U
#define SEED 1

/* gsl_stats_median() reorders its data. */
static double median_of(const double *value, size_t nr, double *room)
{
    memcpy(room, value, nr * sizeof(*value));

    return gsl_stats_median(room, 1, nr);
}

/* @room has space for @nr values. */
static double resampled_median(const gsl_rng *rng, const double *value, size_t nr,
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
 * The k-th figure from either end, with the largest k for which less than 2.5 % of all series have
 * their true median beyond it.
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

/* Returns false if a resample's first median is 0 or less, so there is no ratio. */
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
        double base = resampled_median(rng, first, nr_first, room);

        good = base > 0;
        resample[i] = resampled_median(rng, second, nr_second, room) / base - 1;
    }
    if (good)
        take_interval(d->interval, resample, RESAMPLES);
    gsl_rng_free(rng);
    free(resample);

    return good;
}

static enum difference_verdict verdict_of(const struct difference *d)
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

/* Groups. */

bool group_is_same_metric(const struct group *a, const struct group *b)
{
    return a->kind == b->kind && !strcmp(a->workload, b->workload) &&
           !strcmp(a->metric, b->metric);
}

bool group_is_same_figure(const struct group *a, const struct group *b)
{
    return group_is_same_metric(a, b) && !strcmp(a->unit, b->unit);
}

/* Samples of a metric are contiguous: returns the first group of the metric. */
static size_t first_of_metric(const struct groups *g, const struct group *like)
{
    size_t first = g->nr;

    while (first && group_is_same_metric(&g->group[first - 1], like))
        first--;

    return first;
}

/* Converts to the first unit of its metric that allows it. */
static void convert_group(const struct groups *g, size_t first, struct sample *s)
{
    double factor = 0;
    size_t i;

    for (i = first; i < g->nr && !factor; i++) {
        factor = units_factor(s->unit, g->group[i].unit);
        if (factor) {
            s->value *= factor;
            s->unit = g->group[i].unit;
        }
    }
}

/* Adds it after those with the same unit, or at the end. */
static struct group *add_group(struct groups *g, size_t first,
                               const struct sample *s)
{
    size_t at = g->nr;

    while (at > first && strcmp(g->group[at - 1].unit, s->unit))
        at--;
    if (at == first)
        at = g->nr;
    g->group = need_more_memory(g->group, g->nr + 1, sizeof(*g->group));
    memmove(&g->group[at + 1], &g->group[at],
            (g->nr++ - at) * sizeof(*g->group));
    g->group[at] = (struct group){
        .workload = need_string(s->workload),
        .configuration = need_string(s->configuration),
        .metric = need_string(s->metric),
        .unit = need_string(s->unit),
        .kind = s->kind,
    };

    return &g->group[at];
}

static struct group *group_for(struct groups *g, struct sample *s)
{
    const struct group like = {
        .workload = (char *)s->workload, .metric = (char *)s->metric,
        .kind = s->kind,
    };
    size_t first = first_of_metric(g, &like), i;

    convert_group(g, first, s);
    for (i = first; i < g->nr; i++)
        if (!strcmp(g->group[i].configuration, s->configuration) &&
            !strcmp(g->group[i].unit, s->unit))
            return &g->group[i];

    return add_group(g, first, s);
}

static void add_sample(void *arg, const struct sample *sample)
{
    struct sample s = *sample;
    struct group *group = group_for(arg, &s);

    group->value = need_more_memory(group->value, group->nr + 1,
                                    sizeof(*group->value));
    group->run = need_more_memory(group->run, group->nr + 1,
                                  sizeof(*group->run));
    group->value[group->nr] = s.value;
    group->run[group->nr++] = s.run;
}

int groups_read(struct groups *g, const struct store *s, int64_t experiment,
                struct xensched_error *err)
{
    int rc;

    *g = (struct groups){ 0 };
    rc = store_samples(s, experiment, add_sample, g, err);
    if (rc)
        groups_free(g);

    return rc;
}

void groups_free(struct groups *g)
{
    size_t i;

    for (i = 0; i < g->nr; i++) {
        free(g->group[i].workload);
        free(g->group[i].configuration);
        free(g->group[i].metric);
        free(g->group[i].unit);
        free(g->group[i].value);
        free(g->group[i].run);
    }
    free(g->group);
}
