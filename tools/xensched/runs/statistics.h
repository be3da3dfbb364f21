/* SPDX-License-Identifier: GPL-2.0-only */
/* statistics.h - statistics of figures, in groups by workload and configuration. */
#ifndef XENSCHED_RUNS_STATISTICS_H
#define XENSCHED_RUNS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "store.h"

/*
 * What some figures say, and what they do not.
 *
 * Times of runs have long tails and no known distribution, so nothing here needs
 * one.  The interval of a median is that of the sign test, by order statistics
 * (Conover, Practical Nonparametric Statistics, 1999, section 3.2): with few figures
 * a bootstrap's is too narrow.  That of two medians' ratio is a percentile bootstrap
 * (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), by
 * GSL's generator with a fixed seed: the same figures always give the same answer.
 */

/*
 * With fewer figures on either side there is no interval, and no verdict: not even
 * all of 5 have the median between them in 95 % of all cases.
 */
#define STATISTICS_LEAST 6U

struct summary {
    size_t nr;
    double median, quartile[2];
    double interval[2]; /* of the median, 95 %; if nr >= LEAST */
};

/* @nr > 0. */
void summary_make(struct summary *s, const double *value, size_t nr);

/* Beyond the quartiles by 1.5 times their distance (Tukey)? */
bool summary_is_outlier(const struct summary *s, double value);

enum difference_verdict {
    VERDICT_TOO_FEW,
    VERDICT_NO_BASE,  /* the first median is 0, or has another sign */
    VERDICT_SAME,     /* they cannot be told apart */
    VERDICT_MORE,     /* the second ones are more than the first ones */
    VERDICT_LESS,
};

struct difference {
    enum difference_verdict verdict;
    double part, interval[2]; /* of the second median, less 1; 95 % */
};

void difference_make(struct difference *d, const double *first, size_t nr_first,
                     const double *second, size_t nr_second);

/* The figures of an experiment that belong together. */

/*
 * The same metric of the same workload in the same configuration.  A metric has one
 * unit, that of its first sample, into which the others are converted; those that
 * cannot be converted have groups of their own.
 */
struct group {
    char *workload, *configuration, *metric, *unit;
    enum sample_kind kind;
    double *value;
    int64_t *run; /* [nr]: the run that it is of */
    size_t nr;
};

/* In the order of store_samples(). */
struct groups {
    struct group *group;
    size_t nr;
};

/* To be freed if 0 is returned. */
int groups_read(struct groups *g, const struct store *s, int64_t experiment,
                struct xensched_error *err);
void groups_free(struct groups *g);

/* Is it the same metric of the same workload, whatever the unit is? */
bool group_is_same_metric(const struct group *a, const struct group *b);

/* May they be compared? */
bool group_is_same_figure(const struct group *a, const struct group *b);

#endif /* XENSCHED_RUNS_STATISTICS_H */
