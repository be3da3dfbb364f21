/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the distance between two pCPUs or nodes, and keeps measured ones in a file.
 *
 * distance-assumed.h has the assumptions for a host that was not measured.  No public figures for
 * notifications by distance are known: an interrupt between pCPUs is assumed to last 1,000 ns and
 * to move 8 lines, and both numbers are guesses.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "distance-assumed.h"
#include "distance.h"

#define INTERRUPT_NS 1000
#define LINES 8

#define NOTIFICATION(line) (INTERRUPT_NS + LINES * (line))

/* In the SLIT: a node's distance from itself. */
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

static void set_source(enum distance_source *source, enum distance_source what)
{
    if (source)
        *source = what;
}

/* The shortest distance in the SLIT between nodes of two sockets; 0: none. */
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
 * The factor by which the SLIT changes the price of a relation; 0: the SLIT does not apply.
 * Between sockets, the SLIT compares them with the nearest two.  Within a socket it applies to
 * memory only, relative to the node's own memory, and another node of the socket is never farther
 * than the nearest other socket.
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
    set_source(source, d->measured[kind][relation] ? DISTANCE_MEASURED
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
        set_source(source, DISTANCE_MEASURED);
        return d->between[kind][i];
    }
    relation = d->relation[i] == NR_RELATIONS ? RELATION_REMOTE
                                              : d->relation[i];
    ns = relation_ns(d, kind, relation, source);
    factor = from == to ? 0 : slit_factor(d, kind, relation, d->slit[i]);
    if (factor <= 0)
        return ns;
    set_source(source, DISTANCE_SLIT);

    return ns * factor;
}

/*
 * The file: {"pcpus": N, "nodes": N, "line": {"core": NS, "llc": NS, "node": NS, "between":
 * [[NS of the first node to each]...]}, "notification": {the same members}, "memory":
 * {"between": ...}}; a distance that was not measured is missing, or 0.
 */

#define MAX_NS 1e9
#define DIGITS 1

static const char *const relation_keys[NR_RELATIONS] = {
    [RELATION_CORE] = "core", [RELATION_LLC] = "llc", [RELATION_NODE] = "node",
};

static json_object *matrix_of(const struct distances *d,
                              enum distance_kind kind)
{
    json_object *rows = json_object_new_array(), *row;
    unsigned int from, to;
    char text[32];

    for (from = 0; from < d->nr_nodes; from++) {
        row = json_object_new_array();
        for (to = 0; to < d->nr_nodes; to++) {
            double ns = d->between[kind][from * d->nr_nodes + to];

            snprintf(text, sizeof(text), "%.*f", DIGITS, ns);
            json_object_array_add(row, json_object_new_double_s(ns, text));
        }
        json_object_array_add(rows, row);
    }

    return rows;
}

char *distances_text(const struct distances *d, unsigned int nr_cpus)
{
    json_object *all = json_object_new_object(), *one;
    unsigned int kind, relation;
    char *text;

    json_add_int(all, "pcpus", nr_cpus);
    json_add_int(all, "nodes", d->nr_nodes);
    for (kind = 0; kind < NR_DISTANCES; kind++) {
        one = json_object_new_object();
        for (relation = 0; relation < NR_RELATIONS; relation++)
            if (relation_keys[relation] && d->measured[kind][relation])
                json_add_real(one, relation_keys[relation],
                              d->ns[kind][relation], DIGITS);
        json_object_object_add(one, "between", matrix_of(d, kind));
        json_object_object_add(all, distance_kind_name(kind), one);
    }
    text = need_string(json_object_to_json_string_ext(
        all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
    json_object_put(all);

    return text;
}

static bool is_time(double ns)
{
    return ns >= 0 && ns <= MAX_NS;
}

static bool read_matrix(struct distances *d, enum distance_kind kind,
                        const json_object *one)
{
    json_object *rows = json_member(one, "between", json_type_array);
    unsigned int from, to;

    if (!rows || json_object_array_length(rows) != d->nr_nodes)
        return false;
    for (from = 0; from < d->nr_nodes; from++) {
        json_object *row = json_object_array_get_idx(rows, from);

        if (!json_object_is_type(row, json_type_array) ||
            json_object_array_length(row) != d->nr_nodes)
            return false;
        for (to = 0; to < d->nr_nodes; to++) {
            double ns = json_object_get_double(
                json_object_array_get_idx(row, to));

            if (!is_time(ns))
                return false;
            d->between[kind][from * d->nr_nodes + to] = ns;
        }
    }

    return true;
}

static void lower_to(double *least, double ns)
{
    if (ns > 0 && (*least <= 0 || ns < *least))
        *least = ns;
}

/*
 * Sets the price of RELATION_REMOTE to that of the nearest two nodes of two sockets.  A host with
 * one socket has only nodes within it.  For memory, also sets that of the nodes' own.
 */
static void summarise_kind(struct distances *d, enum distance_kind kind)
{
    double near = 0, within = 0, far = 0;
    unsigned int i;

    for (i = 0; i < d->nr_nodes * d->nr_nodes; i++)
        lower_to(i / d->nr_nodes == i % d->nr_nodes ? &near
                 : d->relation[i] == RELATION_REMOTE ? &far : &within,
                 d->between[kind][i]);
    if (far <= 0)
        far = within;
    if (far > 0) {
        d->ns[kind][RELATION_REMOTE] = far;
        d->measured[kind][RELATION_REMOTE] = true;
    }
    for (i = RELATION_PCPU; kind == DISTANCE_MEMORY && near > 0 &&
                            i <= RELATION_NODE; i++) {
        d->ns[kind][i] = near;
        d->measured[kind][i] = true;
    }
}

/* If each node has one cache, another cache of the node is as far as another node of the socket. */
static void fill_gap(struct distances *d, enum distance_kind kind)
{
    const bool *measured = d->measured[kind];

    if (measured[RELATION_LLC] && !measured[RELATION_NODE]) {
        d->ns[kind][RELATION_NODE] = d->ns[kind][RELATION_LLC];
        d->measured[kind][RELATION_NODE] = true;
    }
}

static bool read_kind(struct distances *d, enum distance_kind kind,
                      const json_object *all)
{
    const json_object *one = json_member(all, distance_kind_name(kind),
                                         json_type_object);
    unsigned int i;

    if (!one || !read_matrix(d, kind, one))
        return false;
    for (i = 0; i < NR_RELATIONS; i++) {
        double ns = relation_keys[i] ? json_number(one, relation_keys[i], 0)
                                     : 0;

        if (!is_time(ns))
            return false;
        if (ns > 0) {
            d->ns[kind][i] = ns;
            d->measured[kind][i] = true;
        }
    }
    summarise_kind(d, kind);
    fill_gap(d, kind);

    return true;
}

static void copy_distances(struct distances *to, const struct distances *from)
{
    size_t nr = (size_t)from->nr_nodes * from->nr_nodes;
    unsigned int kind;

    memcpy(to->ns, from->ns, sizeof(to->ns));
    memcpy(to->measured, from->measured, sizeof(to->measured));
    for (kind = 0; kind < NR_DISTANCES; kind++)
        memcpy(to->between[kind], from->between[kind],
               nr * sizeof(*to->between[kind]));
}

static int read_all(struct distances *d, const json_object *all,
                    const char *path, unsigned int nr_cpus,
                    struct xensched_error *err)
{
    double cpus = json_number(all, "pcpus", 0);
    double nodes = json_number(all, "nodes", 0);
    unsigned int kind;

    if (cpus != nr_cpus || nodes != d->nr_nodes)
        return xensched_fail(err, EINVAL, "'%s' is of a machine with %.0f pCPUs "
                             "and %.0f nodes, and this one has %u and %u: run "
                             "'xensched calibrate' again", path, cpus, nodes,
                             nr_cpus, d->nr_nodes);
    for (kind = 0; kind < NR_DISTANCES; kind++)
        if (!read_kind(d, kind, all))
            return xensched_fail(err, EINVAL, "'%s' has no good distances: run "
                                 "'xensched calibrate' again", path);

    return 0;
}

int distances_read(struct distances *d, const char *path, unsigned int nr_cpus,
                   struct xensched_error *err)
{
    struct distances read;
    json_object *all;
    int rc;

    if (access(path, R_OK))
        return xensched_fail(err, errno, "cannot read '%s': %s", path,
                             strerror(errno));
    all = json_object_from_file(path);
    if (!json_object_is_type(all, json_type_object)) {
        json_object_put(all);
        return xensched_fail(err, EINVAL, "'%s' has no distances: run 'xensched "
                             "calibrate' again", path);
    }
    distances_init(&read, d->nr_nodes);
    memcpy(read.relation, d->relation,
           (size_t)d->nr_nodes * d->nr_nodes * sizeof(*d->relation));
    rc = read_all(&read, all, path, nr_cpus, err);
    if (!rc)
        copy_distances(d, &read);
    distances_free(&read);
    json_object_put(all);

    return rc;
}
