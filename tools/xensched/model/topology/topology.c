/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups pCPUs by node, socket, cache and core. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "topology.h"

void topology_init(struct topology *t, unsigned int nr_cpus)
{
    unsigned int i;

    memset(t, 0, sizeof(*t));
    t->nr_cpus = nr_cpus;
    t->cpus = need_memory(nr_cpus, sizeof(*t->cpus));
    for (i = 0; i < nr_cpus; i++)
        t->cpus[i].core = t->cpus[i].socket = t->cpus[i].node =
            t->cpus[i].place = t->cpus[i].llc = t->cpus[i].cache =
            TOPOLOGY_UNKNOWN;
}

static void free_places(struct topology_place *places, unsigned int nr)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        cpumap_free(&places[i].cpus);
    free(places);
}

void topology_free(struct topology *t)
{
    free_places(t->places, t->nr_places);
    free_places(t->caches, t->nr_caches);
    free_places(t->cores, t->nr_cores);
    free(t->cpus);
    memset(t, 0, sizeof(*t));
}

/* Is @cpu the first online pCPU of those that @same considers equal? */
static bool is_first(const struct topology *t, unsigned int cpu,
                     bool (*same)(const struct topology_cpu *a,
                                  const struct topology_cpu *b))
{
    unsigned int i;

    for (i = 0; i < cpu; i++)
        if (t->cpus[i].online && same(&t->cpus[i], &t->cpus[cpu]))
            return false;

    return t->cpus[cpu].online;
}

static bool same_core(const struct topology_cpu *a,
                      const struct topology_cpu *b)
{
    return a->core == b->core && a->socket == b->socket;
}

static bool same_llc(const struct topology_cpu *a,
                     const struct topology_cpu *b)
{
    return a->llc == b->llc && a->socket == b->socket;
}

static bool same_socket(const struct topology_cpu *a,
                        const struct topology_cpu *b)
{
    return a->socket == b->socket;
}

static bool same_node(const struct topology_cpu *a,
                      const struct topology_cpu *b)
{
    return a->node == b->node;
}

void topology_summarise(const struct topology *t, struct topology_summary *s)
{
    unsigned int i;

    memset(s, 0, sizeof(*s));
    for (i = 0; i < t->nr_cpus; i++) {
        s->cpus += t->cpus[i].online;
        s->cores += is_first(t, i, same_core);
        s->llcs += is_first(t, i, same_llc);
        s->sockets += is_first(t, i, same_socket);
        s->nodes += is_first(t, i, same_node);
    }
}

/* Adds a place without pCPUs and returns its number. */
static unsigned int add_place(struct topology_place **places,
                              unsigned int *nr, unsigned int nr_cpus,
                              const char *kind, unsigned int id)
{
    struct topology_place *place;

    *places = need_more_memory(*places, *nr + 1, sizeof(**places));
    place = &(*places)[*nr];
    *place = (struct topology_place){ .kind = kind, .id = id, .within = *nr };
    cpumap_init(&place->cpus, nr_cpus);

    return (*nr)++;
}

static void add_to_place(struct topology *t, unsigned int cpu,
                         const char *kind, unsigned int id)
{
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        if (t->places[i].id == id)
            break;
    if (i == t->nr_places)
        add_place(&t->places, &t->nr_places, t->nr_cpus, kind, id);
    cpumap_set(&t->places[i].cpus, cpu);
    t->cpus[cpu].place = i;
}

/* Does a socket, or the part of it in one place, have several LLCs? */
static bool has_several_llcs(const struct topology *t)
{
    unsigned int i, k;

    for (i = 0; i < t->nr_cpus; i++)
        for (k = 0; k < i; k++)
            if (t->cpus[i].place != TOPOLOGY_UNKNOWN &&
                t->cpus[i].place == t->cpus[k].place &&
                same_socket(&t->cpus[i], &t->cpus[k]) &&
                !same_llc(&t->cpus[i], &t->cpus[k]))
                return true;

    return false;
}

/* The cache of the first pCPU that shares one with @cpu, or a new cache. */
static unsigned int cache_for(struct topology *t, unsigned int cpu)
{
    unsigned int i, cache;

    for (i = 0; i < cpu; i++)
        if (t->cpus[i].place == t->cpus[cpu].place &&
            same_llc(&t->cpus[i], &t->cpus[cpu]))
            return t->cpus[i].cache;
    cache = add_place(&t->caches, &t->nr_caches, t->nr_cpus, "LLC",
                      t->nr_caches);
    t->caches[cache].within = t->cpus[cpu].place;

    return cache;
}

static void make_llcs(struct topology *t)
{
    unsigned int i;

    for (i = 0; i < t->nr_cpus; i++) {
        if (t->cpus[i].place == TOPOLOGY_UNKNOWN)
            continue;
        t->cpus[i].cache = cache_for(t, i);
        cpumap_set(&t->caches[t->cpus[i].cache].cpus, i);
    }
}

static void make_caches_of_places(struct topology *t)
{
    unsigned int i;

    for (i = 0; i < t->nr_places; i++) {
        add_place(&t->caches, &t->nr_caches, t->nr_cpus, t->places[i].kind,
                  t->places[i].id);
        cpumap_copy(&t->caches[i].cpus, &t->places[i].cpus);
    }
    for (i = 0; i < t->nr_cpus; i++)
        t->cpus[i].cache = t->cpus[i].place;
}

/* The core of an earlier pCPU that is a thread of the same core as @cpu, or a new core. */
static struct topology_place *core_for(struct topology *t, unsigned int cpu)
{
    unsigned int i, k;

    for (i = 0; i < cpu; i++)
        if (t->cpus[i].place != TOPOLOGY_UNKNOWN && same_core(&t->cpus[i], &t->cpus[cpu]))
            for (k = 0; k < t->nr_cores; k++)
                if (cpumap_test(&t->cores[k].cpus, i))
                    return &t->cores[k];
    k = add_place(&t->cores, &t->nr_cores, t->nr_cpus, "pCPU", cpu);
    t->cores[k].within = t->cpus[cpu].cache;

    return &t->cores[k];
}

static void make_cores(struct topology *t)
{
    unsigned int i;

    for (i = 0; i < t->nr_cpus; i++)
        if (t->cpus[i].place != TOPOLOGY_UNKNOWN)
            cpumap_set(&core_for(t, i)->cpus, i);
    for (i = 0; i < t->nr_cores; i++)
        if (cpumap_count(&t->cores[i].cpus) > 1) {
            t->cores[i].kind = "core";
            t->cores[i].id = i;
        }
}

void topology_make_places(struct topology *t)
{
    struct topology_summary s;
    unsigned int i;

    topology_summarise(t, &s);
    for (i = 0; i < t->nr_cpus; i++) {
        struct topology_cpu *c = &t->cpus[i];
        bool by_node = s.nodes > 1;
        unsigned int id = by_node ? c->node : c->socket;

        c->place = TOPOLOGY_UNKNOWN;
        if (c->online && id != TOPOLOGY_UNKNOWN)
            add_to_place(t, i, by_node ? "node" : "socket", id);
    }
    if (has_several_llcs(t))
        make_llcs(t);
    else
        make_caches_of_places(t);
    make_cores(t);
}

unsigned int topology_place_of(const struct topology *t, unsigned int cpu)
{
    return cpu < t->nr_cpus ? t->cpus[cpu].place : TOPOLOGY_UNKNOWN;
}

unsigned int topology_cache_of(const struct topology *t, unsigned int cpu)
{
    return cpu < t->nr_cpus ? t->cpus[cpu].cache : TOPOLOGY_UNKNOWN;
}

static unsigned int all_in(const struct topology_place *places,
                           unsigned int nr, const struct cpumap *cpus)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        if (!cpumap_empty(cpus) && cpumap_subset(cpus, &places[i].cpus))
            return i;

    return TOPOLOGY_UNKNOWN;
}

unsigned int topology_place_of_all(const struct topology *t,
                                   const struct cpumap *cpus)
{
    return all_in(t->places, t->nr_places, cpus);
}

unsigned int topology_cache_of_all(const struct topology *t,
                                   const struct cpumap *cpus)
{
    return all_in(t->caches, t->nr_caches, cpus);
}

unsigned int topology_core_of_all(const struct topology *t,
                                  const struct cpumap *cpus)
{
    unsigned int core = all_in(t->cores, t->nr_cores, cpus);

    return core == TOPOLOGY_UNKNOWN ||
           cpumap_subset(&t->caches[t->cores[core].within].cpus, &t->cores[core].cpus)
           ? TOPOLOGY_UNKNOWN : core;
}

unsigned int topology_only_cache(const struct topology *t, unsigned int place)
{
    return topology_cache_of_all(t, &t->places[place].cpus);
}

const struct topology_place *topology_at(const struct topology *t,
                                         struct spot spot)
{
    return spot.core ? &t->cores[spot.core - 1]
         : spot.cache == TOPOLOGY_UNKNOWN ? &t->places[spot.place] : &t->caches[spot.cache];
}

bool topology_llc_splits_core(const struct topology *t)
{
    unsigned int i, k;

    for (i = 0; i < t->nr_cpus; i++)
        for (k = 0; k < i; k++)
            if (t->cpus[i].online && t->cpus[k].online &&
                t->cpus[i].core != TOPOLOGY_UNKNOWN &&
                same_core(&t->cpus[i], &t->cpus[k]) &&
                !same_llc(&t->cpus[i], &t->cpus[k]))
                return true;

    return false;
}

unsigned int topology_cores(const struct topology *t,
                            const struct cpumap *cpus)
{
    unsigned int i, k, cores = 0;

    for (i = 0; i < t->nr_cpus; i++) {
        if (!cpumap_test(cpus, i))
            continue;
        for (k = 0; k < i; k++)
            if (cpumap_test(cpus, k) && same_core(&t->cpus[k], &t->cpus[i]))
                break;
        cores += k == i;
    }

    return cores;
}
