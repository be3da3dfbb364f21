/* SPDX-License-Identifier: GPL-2.0-only */
/* groups.h - the figures of an experiment that belong together. */
#ifndef XENSCHED_RUNS_GROUPS_H
#define XENSCHED_RUNS_GROUPS_H

#include "store.h"

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

#endif /* XENSCHED_RUNS_GROUPS_H */
