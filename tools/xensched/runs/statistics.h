/* SPDX-License-Identifier: GPL-2.0-only */
/* statistics.h - statistics of figures, in groups by workload and configuration. */
#ifndef XENSCHED_RUNS_STATISTICS_H
#define XENSCHED_RUNS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "store.h"

/*
 * What figures show, and what they do not.
 *
 * Times of runs have long tails and no known distribution, so no function here assumes one.  The
 * interval of a median is that of the sign test, by order statistics (Conover, Practical
 * Nonparametric Statistics, 1999, section 3.2), because a bootstrap's is too narrow with few
 * figures.  The interval of two medians' ratio is a percentile bootstrap (Efron and Tibshirani, An
 * Introduction to the Bootstrap, 1993, chapter 13), by GSL's generator with a fixed seed: the same
 * figures always give the same answer.
 */

/*
 * With fewer figures on either side there is no interval, and no verdict: even the range of 5
 * figures contains the median in less than 95 % of all cases.
 */
#define STATISTICS_LEAST 6U

struct summary {
    size_t nr;
    double median, quartile[2];
    double interval[2]; /* of the median, 95 %; if nr >= STATISTICS_LEAST */
};

/* @nr > 0. */
void summary_make(struct summary *s, const double *value, size_t nr);

/* Returns whether it is beyond the quartiles by 1.5 times their distance (Tukey). */
bool summary_is_outlier(const struct summary *s, double value);

enum difference_verdict {
    VERDICT_TOO_FEW,
    VERDICT_NO_BASE,  /* the first median is 0, or has another sign */
    VERDICT_SAME,     /* they are not distinguishable */
    VERDICT_MORE,     /* the second ones are greater */
    VERDICT_LESS,
};

struct difference {
    enum difference_verdict verdict;
    double part, interval[2]; /* ratio of the second median to the first, less 1; 95 % */
};

void difference_make(struct difference *d, const double *first, size_t nr_first,
                     const double *second, size_t nr_second);

/* Figures of an experiment in groups. */

/*
 * The same metric of the same workload in the same configuration.  A metric has one unit, that of
 * its first sample, to which others are converted; those that cannot be converted have groups of
 * their own.
 */
struct group {
    char *workload, *configuration, *metric, *unit;
    enum sample_kind kind;
    double *value;
    int64_t *run; /* [nr]: the run of each figure */
    size_t nr;
};

/* In the order of store_samples(). */
struct groups {
    struct group *group;
    size_t nr;
};

/* The caller frees @g if 0 is returned. */
int groups_read(struct groups *g, const struct store *s, int64_t experiment,
                struct xensched_error *err);
void groups_free(struct groups *g);

/* Returns whether it is the same metric of the same workload, in any unit. */
bool group_is_same_metric(const struct group *a, const struct group *b);

/* Returns whether they may be compared. */
bool group_is_same_figure(const struct group *a, const struct group *b);

#endif /* XENSCHED_RUNS_STATISTICS_H */
