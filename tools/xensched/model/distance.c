/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the distance between two pCPUs or nodes.
 *
 * distance-assumed.h has the assumptions for a host that was not measured.  No public
 * figures for notifications by distance are known: an interrupt between pCPUs is assumed
 * to last 1,000 ns and to move 8 lines, and both numbers are guesses.
 */
#include <stdlib.h>
#include <string.h>

#include "distance-assumed.h"
#include "distance.h"
#include "base/alloc.h"

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
    size_t nr = (size_t)nr_nodes * nr_nodes, i;
    unsigned int kind;

    memset(d, 0, sizeof(*d));
    memcpy(d->ns, assumed, sizeof(d->ns));
    d->nr_nodes = nr_nodes;
    d->slit = need_memory(nr, sizeof(*d->slit));
    d->relation = need_memory(nr, sizeof(*d->relation));
    for (i = 0; i < nr; i++)
        d->relation[i] = i / nr_nodes == i % nr_nodes ? RELATION_LLC
                                                      : RELATION_REMOTE;
    for (kind = 0; kind < NR_DISTANCES; kind++)
        d->between[kind] = need_memory(nr, sizeof(*d->between[kind]));
}

void distances_free(struct distances *d)
{
    unsigned int kind;

    for (kind = 0; kind < NR_DISTANCES; kind++)
        free(d->between[kind]);
    free(d->slit);
    free(d->relation);
    memset(d, 0, sizeof(*d));
}

static const char *const relations[] = {
    [RELATION_PCPU] = "the same pCPU",
    [RELATION_CORE] = "the same core",
    [RELATION_LLC] = "the same last-level cache",
    [RELATION_NODE] = "the same node",
    [RELATION_REMOTE] = "another socket",
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
    if (x->place == TOPOLOGY_UNKNOWN || y->place == TOPOLOGY_UNKNOWN)
        return RELATION_REMOTE;
    if (x->socket != y->socket)
        return x->place == y->place ? RELATION_NODE : RELATION_REMOTE;
    if (x->core == y->core)
        return RELATION_CORE;

    return x->llc == y->llc ? RELATION_LLC : RELATION_NODE;
}

void distances_relate(struct distances *d, const struct topology *t)
{
    unsigned int i, a, b;

    for (i = 0; i < d->nr_nodes * d->nr_nodes; i++)
        if (i / d->nr_nodes != i % d->nr_nodes)
            d->relation[i] = NR_RELATIONS;
    for (a = 0; a < t->nr_cpus; a++)
        for (b = 0; b < t->nr_cpus; b++) {
            unsigned int x = t->cpus[a].node, y = t->cpus[b].node;
            enum relation *nearest, relation;

            if (!t->cpus[a].online || !t->cpus[b].online || x == y ||
                x >= d->nr_nodes || y >= d->nr_nodes)
                continue;
            nearest = &d->relation[x * d->nr_nodes + y];
            relation = distance_relation(t, a, b);
            if (relation < *nearest)
                *nearest = relation;
        }
}

static void tell(enum distance_source *source, enum distance_source what)
{
    if (source)
        *source = what;
}

/* The shortest way in the SLIT between nodes of two sockets; 0: none. */
static uint32_t slit_nearest(const struct distances *d)
{
    uint32_t nearest = 0;
    unsigned int i;

    for (i = 0; i < d->nr_nodes * d->nr_nodes; i++)
        if (d->relation[i] == RELATION_REMOTE && d->slit[i] > SLIT_LOCAL &&
            (!nearest || d->slit[i] < nearest))
            nearest = d->slit[i];

    return nearest;
}

/*
 * The factor by which the SLIT changes the price of a relation; 0: the SLIT does not
 * apply.  Between sockets, the SLIT ranks them against the nearest two.  Within a
 * socket it applies to memory only, relative to the own node's, and another node of
 * the socket is never farther than the nearest other socket.
 */
static double slit_factor(const struct distances *d, enum distance_kind kind,
                          enum relation relation, uint32_t slit)
{
    const double *ns = d->ns[kind];
    double within = (double)slit / SLIT_LOCAL;
    uint32_t nearest;

    if (slit <= SLIT_LOCAL)
        return 0;
    if (relation == RELATION_REMOTE) {
        nearest = slit_nearest(d);
        return nearest ? (double)slit / nearest : 0;
    }
    if (kind != DISTANCE_MEMORY || ns[RELATION_REMOTE] < ns[relation])
        return 0;

    return within * ns[relation] < ns[RELATION_REMOTE]
           ? within : ns[RELATION_REMOTE] / ns[relation];
}

/* The price of a relation without the SLIT. */
static double relation_ns(const struct distances *d, enum distance_kind kind,
                          enum relation relation, enum distance_source *source)
{
    tell(source, d->measured[kind][relation] ? DISTANCE_MEASURED
                                             : DISTANCE_ASSUMED);

    return d->ns[kind][relation];
}

double distance_nodes_ns(const struct distances *d, enum distance_kind kind,
                         unsigned int from, unsigned int to,
                         enum distance_source *source)
{
    size_t i = (size_t)from * d->nr_nodes + to;
    enum relation relation;
    double ns, factor;

    if (from >= d->nr_nodes || to >= d->nr_nodes)
        return relation_ns(d, kind, from == to ? RELATION_LLC : RELATION_REMOTE,
                           source);
    if (d->between[kind][i] > 0) {
        tell(source, DISTANCE_MEASURED);
        return d->between[kind][i];
    }
    relation = d->relation[i] == NR_RELATIONS ? RELATION_REMOTE
                                              : d->relation[i];
    ns = relation_ns(d, kind, relation, source);
    factor = from == to ? 0 : slit_factor(d, kind, relation, d->slit[i]);
    if (factor <= 0)
        return ns;
    tell(source, DISTANCE_SLIT);

    return ns * factor;
}
