/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prices.h - declares prices in nanoseconds of pCPU time: the distances between parts of the
 * machine, and the lines that each event moves between them.
 *
 * All numbers have a public source, or are counts of the machine model
 * (docs/develop/machine-model.md).  They serve machines whose distances were not measured.
 */
#ifndef XENSCHED_PLACEMENT_PRICES_H
#define XENSCHED_PLACEMENT_PRICES_H

/* What two pCPUs share; see also model/topology/distance.h, for measured distances. */
enum nearness {
    SAME_PCPU,
    SAME_CORE,   /* threads of it */
    SAME_CACHE,  /* one last-level cache */
    SAME_PLACE,  /* another one of the node or socket */
    OTHER_PLACE,
    NR_NEARNESS
};

struct prices {
    double line[NR_NEARNESS]; /* ns, a changed line from another core */
    double memory_local, memory_remote; /* ns, from a load to its value */
    double notification, page; /* lines that it moves or makes exclusive */
    double misses; /* of a guest whose misses are not counted, per ns it runs */
    double refill; /* lines that a vCPU brings into new caches */
    double hunger; /* misses/s of a neighbour that fill the cache */
    double eaten;  /* the part of a guest's misses that this neighbour causes */
    double wake;   /* ns, to wake a vCPU up and to switch to it */
    double woken;  /* the part of notifications between neighbours that wake a vCPU */
    double sibling; /* the part of a core that a second vCPU on it loses for both */
    double touched; /* lines that a vCPU uses again, per ns that it runs */
};

extern const struct prices prices_default;

#endif /* XENSCHED_PLACEMENT_PRICES_H */
