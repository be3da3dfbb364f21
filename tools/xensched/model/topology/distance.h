/* SPDX-License-Identifier: GPL-2.0-only */
/* distance.h - how far pCPUs and nodes are apart, in ns: measured, or assumed. */
#ifndef XENSCHED_MODEL_DISTANCE_H
#define XENSCHED_MODEL_DISTANCE_H

#include <stdint.h>

#include <xensched/error.h>

#include "topology.h"

/*
 * How far pCPUs and memory are from each other, in nanoseconds.
 *
 * A distance depends on the relation of two pCPUs: the parts that they share.
 * Three sources give it, the first that has it wins: a measurement of these two
 * nodes (`xensched calibrate'); the table in distance.c scaled by the firmware's
 * SLIT; the table alone.  The caller can ask for the source.
 *
 * Firmware may cut a socket into several nodes.  Such a cut changes neither the
 * price of another socket nor that of a line within a socket.
 */

/* From near to far. */
enum relation {
    RELATION_PCPU,   /* the same one */
    RELATION_CORE,   /* threads of a core */
    RELATION_LLC,    /* cores with the same last-level cache */
    RELATION_NODE,   /* of a node, or socket, but another last-level cache */
    RELATION_REMOTE, /* of different sockets */
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
    /* By relation; RELATION_REMOTE: the nearest two nodes of two sockets. */
    double ns[NR_DISTANCES][NR_RELATIONS];
    bool measured[NR_DISTANCES][NR_RELATIONS];
    unsigned int nr_nodes;
    double *between[NR_DISTANCES]; /* [from * nr_nodes + to]; 0: not measured */
    uint32_t *slit;                /* likewise; 10: the same; 0: not known */
    /* Likewise, of their nearest pCPUs; NR_RELATIONS: one has no pCPU. */
    enum relation *relation;
};

/* Assumed distances of a host with @nr_nodes nodes, each one a socket. */
void distances_init(struct distances *d, unsigned int nr_nodes);
void distances_free(struct distances *d);

/* Finds the nodes of one socket.  Call it for each new topology. */
void distances_relate(struct distances *d, const struct topology *t);

/* Of pCPUs which are online. */
enum relation distance_relation(const struct topology *t, unsigned int a,
                                unsigned int b);
/* "line", "notification", "memory" */
const char *distance_kind_name(enum distance_kind kind);

/*
 * Between nodes (DISTANCE_MEMORY: from pCPUs of @from to memory of @to).  @source may
 * be NULL.
 */
double distance_nodes_ns(const struct distances *d, enum distance_kind kind,
                         unsigned int from, unsigned int to,
                         enum distance_source *source);

/*
 * Distances that were measured on a machine (`xensched
 * calibrate'), as the text of a file, and back.
 */

/* Of all that is marked as measured; to be freed.  The machine has @nr_cpus. */
char *distances_text(const struct distances *d, unsigned int nr_cpus);

/*
 * What @path has takes the place of what is assumed in @d.  -ENOENT: there is no
 * such file; -EINVAL: it is none, or of another machine.  Then @d is as it was.
 */
int distances_read(struct distances *d, const char *path, unsigned int nr_cpus,
                   struct xensched_error *err);

#endif /* XENSCHED_MODEL_DISTANCE_H */
