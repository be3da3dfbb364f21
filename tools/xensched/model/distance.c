/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distance.c - see distance.h.
 *
 * What is assumed of a host that nobody measured is in distance-assumed.h.
 * Notifications: no public figures by distance are known to us.  An interrupt
 * between pCPUs is taken to last 1,000 ns, and to move 8 lines: both are guesses.
 */
#include <stdlib.h>
#include <string.h>

#include "distance-assumed.h"
#include "distance.h"
#include "memory.h"

#define INTERRUPT_NS 1000
#define LINES 8

#define NOTIFICATION(line) (INTERRUPT_NS + LINES * (line))

/* Of the SLIT: a node's distance from itself. */
#define SLIT_LOCAL 10

static const double assumed[NR_DISTANCES][NR_RELATIONS] = {
    [DISTANCE_LINE] = {
        0, ASSUMED_LINE_CORE, ASSUMED_LINE_LLC,
        ASSUMED_LINE_NODE, ASSUMED_LINE_REMOTE,
    },
    [DISTANCE_NOTIFICATION] = {
        0, NOTIFICATION(ASSUMED_LINE_CORE), NOTIFICATION(ASSUMED_LINE_LLC),
        NOTIFICATION(ASSUMED_LINE_NODE), NOTIFICATION(ASSUMED_LINE_REMOTE),
    },
    [DISTANCE_MEMORY] = {
        ASSUMED_MEMORY_LOCAL, ASSUMED_MEMORY_LOCAL, ASSUMED_MEMORY_LOCAL,
        ASSUMED_MEMORY_LOCAL, ASSUMED_MEMORY_REMOTE,
    },
};

void distances_init(struct distances *d, unsigned int nr_nodes)
{
    size_t nr = (size_t)nr_nodes * nr_nodes;
    unsigned int kind;

    memset(d, 0, sizeof(*d));
    memcpy(d->ns, assumed, sizeof(d->ns));
    d->nr_nodes = nr_nodes;
    d->slit = need_memory(nr, sizeof(*d->slit));
    for (kind = 0; kind < NR_DISTANCES; kind++)
        d->between[kind] = need_memory(nr, sizeof(*d->between[kind]));
}

void distances_free(struct distances *d)
{
    unsigned int kind;

    for (kind = 0; kind < NR_DISTANCES; kind++)
        free(d->between[kind]);
    free(d->slit);
    memset(d, 0, sizeof(*d));
}

static const char *const relations[] = {
    [RELATION_PCPU] = "the same pCPU",
    [RELATION_CORE] = "the same core",
    [RELATION_LLC] = "the same last-level cache",
    [RELATION_NODE] = "the same node",
    [RELATION_REMOTE] = "another node",
};

const char *distance_relation_name(enum relation relation)
{
    return relations[relation];
}

static const char *const kinds[] = {
    [DISTANCE_LINE] = "line",
    [DISTANCE_NOTIFICATION] = "notification",
    [DISTANCE_MEMORY] = "memory",
};

const char *distance_kind_name(enum distance_kind kind)
{
    return kinds[kind];
}

enum relation distance_relation(const struct topology *t, unsigned int a,
                                unsigned int b)
{
    const struct topology_cpu *x, *y;

    if (a == b)
        return RELATION_PCPU;
    if (a >= t->nr_cpus || b >= t->nr_cpus)
        return RELATION_REMOTE;
    x = &t->cpus[a];
    y = &t->cpus[b];
    if (x->place == TOPOLOGY_UNKNOWN || x->place != y->place)
        return RELATION_REMOTE;
    if (x->socket == y->socket && x->core == y->core)
        return RELATION_CORE;

    return x->socket == y->socket && x->llc == y->llc ? RELATION_LLC
                                                      : RELATION_NODE;
}

static void tell(enum distance_source *source, enum distance_source what)
{
    if (source)
        *source = what;
}

/* The shortest way between two nodes that the SLIT has; 0: none. */
static uint32_t slit_nearest(const struct distances *d)
{
    uint32_t nearest = 0;
    unsigned int i;

    for (i = 0; i < d->nr_nodes * d->nr_nodes; i++)
        if (d->slit[i] > SLIT_LOCAL && (!nearest || d->slit[i] < nearest))
            nearest = d->slit[i];

    return nearest;
}

double distance_nodes_ns(const struct distances *d, enum distance_kind kind,
                         unsigned int from, unsigned int to,
                         enum distance_source *source)
{
    enum relation relation = from == to ? RELATION_LLC : RELATION_REMOTE;
    enum distance_source otherwise = d->measured[kind][relation]
                                     ? DISTANCE_MEASURED : DISTANCE_ASSUMED;
    double ns = d->ns[kind][relation];
    size_t i = (size_t)from * d->nr_nodes + to;
    uint32_t nearest;

    tell(source, otherwise);
    if (from >= d->nr_nodes || to >= d->nr_nodes)
        return ns;
    if (d->between[kind][i] > 0) {
        tell(source, DISTANCE_MEASURED);
        return d->between[kind][i];
    }
    nearest = from == to ? 0 : slit_nearest(d);
    if (!nearest || d->slit[i] <= SLIT_LOCAL)
        return ns;
    tell(source, DISTANCE_SLIT);

    return ns * d->slit[i] / nearest;
}

double distance_ns(const struct distances *d, const struct topology *t,
                   enum distance_kind kind, unsigned int a, unsigned int b,
                   enum distance_source *source)
{
    enum relation relation = distance_relation(t, a, b);

    if (relation == RELATION_REMOTE && a < t->nr_cpus && b < t->nr_cpus &&
        t->cpus[a].node != t->cpus[b].node)
        return distance_nodes_ns(d, kind, t->cpus[a].node, t->cpus[b].node,
                                 source);
    tell(source, d->measured[kind][relation] ? DISTANCE_MEASURED
                                             : DISTANCE_ASSUMED);

    return d->ns[kind][relation];
}
