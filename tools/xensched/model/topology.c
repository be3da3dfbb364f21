/* SPDX-License-Identifier: GPL-2.0-only */
/* topology.c - see topology.h. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "topology.h"

void topology_init(struct topology *t, unsigned int nr_cpus)
{
    unsigned int i;

    memset(t, 0, sizeof(*t));
    t->nr_cpus = nr_cpus;
    t->cpus = need_memory(nr_cpus, sizeof(*t->cpus));
    for (i = 0; i < nr_cpus; i++)
        t->cpus[i].core = t->cpus[i].socket = t->cpus[i].node =
            t->cpus[i].place = TOPOLOGY_UNKNOWN;
}

void topology_free(struct topology *t)
{
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        cpumap_free(&t->places[i].cpus);
    free(t->places);
    free(t->cpus);
    memset(t, 0, sizeof(*t));
}

/* Is @cpu the first online one with this value of what @same compares? */
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
        s->sockets += is_first(t, i, same_socket);
        s->nodes += is_first(t, i, same_node);
    }
}

static void add_to_place(struct topology *t, unsigned int cpu,
                         const char *kind, unsigned int id)
{
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        if (t->places[i].id == id)
            break;
    if (i == t->nr_places) {
        t->places = need_more_memory(t->places, i + 1, sizeof(*t->places));
        t->places[i].kind = kind;
        t->places[i].id = id;
        cpumap_init(&t->places[i].cpus, t->nr_cpus);
        t->nr_places++;
    }
    cpumap_set(&t->places[i].cpus, cpu);
    t->cpus[cpu].place = i;
}

void topology_make_places(struct topology *t)
{
    struct topology_summary s;
    unsigned int i;

    topology_summarise(t, &s);
    for (i = 0; i < t->nr_cpus; i++) {
        const struct topology_cpu *c = &t->cpus[i];
        bool by_node = s.nodes > 1;
        unsigned int id = by_node ? c->node : c->socket;

        if (c->online && id != TOPOLOGY_UNKNOWN)
            add_to_place(t, i, by_node ? "node" : "socket", id);
    }
}

unsigned int topology_place_of(const struct topology *t, unsigned int cpu)
{
    return cpu < t->nr_cpus ? t->cpus[cpu].place : TOPOLOGY_UNKNOWN;
}

unsigned int topology_place_of_all(const struct topology *t,
                                   const struct cpumap *cpus)
{
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        if (!cpumap_empty(cpus) && cpumap_subset(cpus, &t->places[i].cpus))
            return i;

    return TOPOLOGY_UNKNOWN;
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
