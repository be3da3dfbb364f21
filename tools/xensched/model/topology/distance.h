/* SPDX-License-Identifier: GPL-2.0-only */
/* distance.h - how far pCPUs and nodes are apart, in ns: measured, or assumed. */
#ifndef XENSCHED_MODEL_DISTANCE_H
#define XENSCHED_MODEL_DISTANCE_H

#include <stdint.h>

#include <xensched/error.h>

#include "topology.h"

/*
 * The distance of pCPUs and memory from each other, in nanoseconds.
 *
 * A distance depends on the relation of two pCPUs: the parts that they share.  It comes from the
 * first of three sources that has it: a measurement of these two nodes (`xensched calibrate'); the
 * table in distance.c scaled by the firmware's SLIT; the table alone.  Functions report the source.
 *
 * Firmware may divide a socket into several nodes.  That changes neither the price of another
 * socket nor that of a line within a socket.
 */

/* From near to far. */
enum relation {
    RELATION_PCPU,   /* the same pCPU */
    RELATION_CORE,   /* threads of a core */
    RELATION_LLC,    /* cores with the same last-level cache */
    RELATION_NODE,   /* the same node or socket, but different last-level caches */
    RELATION_REMOTE, /* different sockets */
    NR_RELATIONS
};

enum distance_kind {
    /* From a change of a line by one pCPU until the other one has it. */
    DISTANCE_LINE,
    /* From the notification of an event channel until the other vCPU handles it. */
    DISTANCE_NOTIFICATION,
    /* A load from memory of the other one's node that no cache has. */
    DISTANCE_MEMORY,
    NR_DISTANCES
};

enum distance_source {
    DISTANCE_ASSUMED,  /* the table */
    DISTANCE_SLIT,     /* the table, scaled */
    DISTANCE_MEASURED,
};

struct distances {
    /* By relation; RELATION_REMOTE: the nearest two nodes of two sockets. */
    double ns[NR_DISTANCES][NR_RELATIONS];
    bool measured[NR_DISTANCES][NR_RELATIONS];
    unsigned int nr_nodes;
    double *between[NR_DISTANCES]; /* [from * nr_nodes + to]; 0: not measured */
    uint32_t *slit;                /* likewise; 10: the same node; 0: unknown */
    /* Likewise, for their nearest pCPUs; NR_RELATIONS: one has no pCPU. */
    enum relation *relation;
};

/* Sets assumed distances of a host with @nr_nodes nodes, each one a socket. */
void distances_init(struct distances *d, unsigned int nr_nodes);
void distances_free(struct distances *d);

/* Finds the nodes that belong to one socket.  Call it for each new topology. */
void distances_relate(struct distances *d, const struct topology *t);

/* The relation of two online pCPUs. */
enum relation distance_relation(const struct topology *t, unsigned int a,
                                unsigned int b);
/* "line", "notification", "memory" */
const char *distance_kind_name(enum distance_kind kind);

/*
 * The distance between nodes (DISTANCE_MEMORY: from pCPUs of @from to memory of @to).  @source may
 * be NULL.
 */
double distance_nodes_ns(const struct distances *d, enum distance_kind kind,
                         unsigned int from, unsigned int to,
                         enum distance_source *source);

/*
 * Distances measured on a machine (`xensched calibrate'), as the text of a file.
 */

/* Returns the measured distances of a machine with @nr_cpus, as text that the caller frees. */
char *distances_text(const struct distances *d, unsigned int nr_cpus);

/*
 * Replaces assumed distances in @d by those of the file @path.  -ENOENT: there is no such file;
 * -EINVAL: it is invalid, or of another machine.  After an error @d is unchanged.
 */
int distances_read(struct distances *d, const char *path, unsigned int nr_cpus,
                   struct xensched_error *err);

#endif /* XENSCHED_MODEL_DISTANCE_H */
