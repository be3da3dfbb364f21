/* SPDX-License-Identifier: GPL-2.0-only */
/* groups.h - the figures of an experiment that belong together. */
#ifndef XENSCHED_RUNS_GROUPS_H
#define XENSCHED_RUNS_GROUPS_H

#include "store.h"

/* The same metric of the same workload in the same configuration. */
struct group {
    char *workload, *configuration, *metric, *unit;
    enum sample_kind kind;
    double *value;
    int64_t *run; /* whose it is */
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

/* The one of @like, in another configuration; or NULL. */
const struct group *groups_find(const struct groups *g, const struct group *like,
                                const char *configuration);

#endif /* XENSCHED_RUNS_GROUPS_H */
