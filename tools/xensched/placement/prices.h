/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prices.h - what things cost, in nanoseconds of pCPU time: how far apart parts
 * of the machine are, and how much is moved between them per event.
 *
 * Knows no host: all are numbers with a public source, or counts of the machine
 * model (docs/develop/machine-model.md), for machines whose distances were not measured.
 */
#ifndef XENSCHED_PLACEMENT_PRICES_H
#define XENSCHED_PLACEMENT_PRICES_H

/* What two pCPUs share; see also model/topology/distance.h, which knows the machine. */
enum nearness {
    SAME_CACHE,  /* one last-level cache */
    SAME_PLACE,  /* another one of the node or socket */
    OTHER_PLACE,
    NR_NEARNESS
};

struct prices {
    double line[NR_NEARNESS]; /* ns, a changed line from another core */
    double memory_local, memory_remote; /* ns, from a load to its value */
    double notification, page; /* lines that it moves or takes for itself */
    double misses; /* of a guest whose misses are not counted, per ns it runs */
    double refill; /* lines that a vCPU brings into new caches */
    double hunger; /* misses/s of a neighbour that take the cache away */
    double eaten;  /* the part of its misses which a guest has because of it */
    double wake;   /* ns, to wake a vCPU up and to switch to it */
    double woken;  /* the part of notifications between neighbours that wake one up */
    double touched; /* lines that a vCPU uses again, per ns that it runs */
};

extern const struct prices prices_default;

#endif /* XENSCHED_PLACEMENT_PRICES_H */
