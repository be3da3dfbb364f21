/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the cores of back ends, and the guests that may share one. */
#include <stdlib.h>

#include "base/alloc.h"
#include "model/runnable.h"
#include "place-core.h"

/* pCPUs that both may need together. */
#define NEEDS_AT_MOST 1.0

/* Waits have to be counted, because they are the price of a shared core. */
static bool counts_waits(const struct place_host *h, unsigned int i)
{
    return runnable_of(h->input->matrix, place_domain(h, i), h->input->now_ns).whole;
}

/* The pCPUs on which hard affinity lets the vCPU run.  The caller frees the map. */
static void bound_cpus(const struct domain *d, unsigned int vcpu, struct cpumap *cpus)
{
    cpumap_init_copy(cpus, &d->vcpus[vcpu].hard);
    cpumap_and(cpus, &d->pool_cpus);
}

/* The core to which hard affinity binds the only vCPU of a driver domain, or TOPOLOGY_UNKNOWN. */
static unsigned int core_of_server(const struct place_host *h, unsigned int i)
{
    const struct domain *d = place_domain(h, i);
    unsigned int vcpu, core;
    struct cpumap cpus;

    if (!d->driver || domain_online_vcpus(d) != 1 || !counts_waits(h, i))
        return TOPOLOGY_UNKNOWN;
    for (vcpu = 0; !d->vcpus[vcpu].online; vcpu++)
        ;
    bound_cpus(d, vcpu, &cpus);
    core = topology_core_of_all(h->input->topology, &cpus);
    cpumap_free(&cpus);

    return core;
}

/* Returns whether hard affinity, but not the daemon's, binds a vCPU of the domain to the core. */
static bool is_bound(const struct place_host *h, unsigned int i, unsigned int core)
{
    const struct domain *d = place_domain(h, i);
    bool bound = false;
    unsigned int vcpu;

    for (vcpu = 0; vcpu < d->nr_vcpus && d->affinity != AFFINITY_OURS && !bound; vcpu++) {
        struct cpumap cpus;

        bound_cpus(d, vcpu, &cpus);
        bound = d->vcpus[vcpu].online && !cpumap_empty(&cpus) &&
                cpumap_subset(&cpus, &h->input->topology->cores[core].cpus);
        cpumap_free(&cpus);
    }

    return bound;
}

/* Leaves out a core to which other domains are bound: its back end waits for them already. */
unsigned int place_cores(const struct place_host *h, struct place_core **cores)
{
    unsigned int nr = h->input->domains->nr, found = 0, i, k;

    *cores = need_memory(nr, sizeof(**cores));
    if (!policies_has_term(h->policies, TERM_SHARING))
        return 0;
    for (i = 0; i < nr; i++) {
        unsigned int core = core_of_server(h, i);

        if (core == TOPOLOGY_UNKNOWN)
            continue;
        for (k = 0; k < nr; k++)
            if (k != i && is_bound(h, k, core))
                break;
        if (k == nr)
            (*cores)[found++] = (struct place_core){ core, i };
    }

    return found;
}

void place_describe_cores(struct place_host *h, const struct place_core *cores, unsigned int nr)
{
    const struct topology *t = h->input->topology;
    struct placement *p = &h->placement;
    unsigned int i;

    for (i = 0; i < nr; i++) {
        const struct topology_place *core = &t->cores[cores[i].core];
        unsigned int spot = p->nr_spots - nr + i;

        p->spots[spot] = (struct spot){
            t->caches[core->within].within, core->within, cores[i].core + 1,
        };
        p->cores[spot] = 1;
        p->threads[spot] = cpumap_count(&core->cpus);
        p->server[spot] = h->unit[cores[i].server];
    }
}

unsigned int place_core_spot(const struct placement *p, unsigned int core)
{
    unsigned int i;

    for (i = p->nr_caches; i < p->nr_spots; i++)
        if (p->spots[i].core == core)
            return i;

    return ANYWHERE;
}

/* Returns whether the cpupool and the rule of @d allow all pCPUs of a core. */
static bool allows_core(const struct place_host *h, const struct domain *d, unsigned int core)
{
    const struct topology *t = h->input->topology;
    struct cpumap cpus;
    bool all;

    cpumap_init_copy(&cpus, &d->pool_cpus);
    rule_restrict(d->rule, t, &cpus);
    all = cpumap_subset(&t->cores[core].cpus, &cpus);
    cpumap_free(&cpus);

    return all;
}

/* Returns whether the daemon has moved domain @i, a single vCPU, to the core's cache or to it. */
static bool is_beside(const struct place_host *h, unsigned int i, struct spot core)
{
    const struct guarded *s = &h->input->guarded[i];
    const struct domain *d = place_domain(h, i);

    return s->open && s->tenant.demand.vcpus <= 1 && !d->group[0] &&
           d->affinity == AFFINITY_OURS && s->at.cache == core.cache;
}

/*
 * A guest that is there has waits among its needs, and the objective prices them.  Xen ignores a
 * soft affinity to a busy pCPU while others idle, so a core without threads takes a hard one.
 */
bool place_core_open(const struct place_host *h, unsigned int i, unsigned int spot)
{
    const struct placement *p = &h->placement;
    const struct guarded *s = &h->input->guarded[i];
    const struct spot core = p->spots[spot];
    double server = h->input->guarded[h->stands[p->server[spot]]].tenant.demand.need;

    if (!is_beside(h, i, core) || !counts_waits(h, i) || (p->threads[spot] <= 1 && !s->hardens) ||
        s->tenant.cores[core.cache] < 2 || !allows_core(h, place_domain(h, i), core.core - 1))
        return false;
    if (s->at.core == core.core)
        return true;

    return !s->shuns_core && s->tenant.demand.need + server <= NEEDS_AT_MOST;
}
