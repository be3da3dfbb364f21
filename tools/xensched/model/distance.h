/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distance.h - how far pCPUs and memory are from each other, in nanoseconds.
 *
 * By relation: what two pCPUs share.  Between two nodes it may have been
 * measured for just these two (`xensched calibrate'); else the SLIT of the
 * firmware stretches what holds for nodes in general; else it is the table in
 * distance.c, which names its sources.  Who asks can know which it was.
 */
#ifndef XENSCHED_MODEL_DISTANCE_H
#define XENSCHED_MODEL_DISTANCE_H

#include <stdint.h>

#include "topology.h"

/* From near to far. */
enum relation {
    RELATION_PCPU,   /* the same one */
    RELATION_CORE,   /* threads of a core */
    RELATION_LLC,    /* cores with the same last-level cache */
    RELATION_NODE,   /* of a node, or socket, but another last-level cache */
    RELATION_REMOTE, /* of different nodes, or sockets */
    NR_RELATIONS
};

enum distance_kind {
    /* A line that the one pCPU changed until the other one has it. */
    DISTANCE_LINE,
    /* An event channel is notified until the other vCPU knows of it. */
    DISTANCE_NOTIFICATION,
    /* A load from memory of the other one's node, which no cache has. */
    DISTANCE_MEMORY,
    NR_DISTANCES
};

enum distance_source {
    DISTANCE_ASSUMED,  /* the table */
    DISTANCE_SLIT,     /* the table, stretched */
    DISTANCE_MEASURED,
};

struct distances {
    /* By relation; those of RELATION_REMOTE are of the nearest two nodes. */
    double ns[NR_DISTANCES][NR_RELATIONS];
    bool measured[NR_DISTANCES][NR_RELATIONS];
    unsigned int nr_nodes;
    double *between[NR_DISTANCES]; /* [from * nr_nodes + to]; 0: not measured */
    uint32_t *slit;                /* likewise; 10: the same; 0: not known */
};

/* What is assumed, of a host with @nr_nodes nodes. */
void distances_init(struct distances *d, unsigned int nr_nodes);
void distances_free(struct distances *d);

/* Of pCPUs which are online. */
enum relation distance_relation(const struct topology *t, unsigned int a,
                                unsigned int b);
const char *distance_relation_name(enum relation relation);
/* "line", "notification", "memory" */
const char *distance_kind_name(enum distance_kind kind);

/* From pCPU @a to pCPU @b.  @source may be NULL. */
double distance_ns(const struct distances *d, const struct topology *t,
                   enum distance_kind kind, unsigned int a, unsigned int b,
                   enum distance_source *source);

/* Between nodes (DISTANCE_MEMORY: from pCPUs of @from to memory of @to). */
double distance_nodes_ns(const struct distances *d, enum distance_kind kind,
                         unsigned int from, unsigned int to,
                         enum distance_source *source);

#endif /* XENSCHED_MODEL_DISTANCE_H */
