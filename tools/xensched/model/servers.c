/* SPDX-License-Identifier: GPL-2.0-only */
/* servers.c - see servers.h. */
#include "memory.h"
#include "servers.h"

/* Where it can run at all; to be freed. */
static void may_run(const struct domain *d, unsigned int vcpu,
                    struct cpumap *cpus)
{
    cpumap_init_copy(cpus, &d->vcpus[vcpu].hard);
    cpumap_and(cpus, &d->pool_cpus);
}

static unsigned int kept_at(const struct topology *t, const struct domain *d,
                            unsigned int vcpu)
{
    unsigned int place;
    struct cpumap cpus;

    may_run(d, vcpu, &cpus);
    place = topology_place_of_all(t, &cpus);
    cpumap_free(&cpus);

    return place;
}

static bool kept_on(const struct domain *d, unsigned int vcpu,
                    const struct cpumap *wanted)
{
    struct cpumap cpus;
    bool kept;

    may_run(d, vcpu, &cpus);
    kept = cpumap_subset(&cpus, wanted);
    cpumap_free(&cpus);

    return kept;
}

bool servers_matter(const struct topology *t, const struct domain *d)
{
    unsigned int i, first = TOPOLOGY_UNKNOWN;
    bool several = false;

    for (i = 0; d->driver && i < d->nr_vcpus; i++) {
        unsigned int place;

        if (!d->vcpus[i].online)
            continue;
        place = kept_at(t, d, i);
        if (place == TOPOLOGY_UNKNOWN)
            return false;
        if (first == TOPOLOGY_UNKNOWN)
            first = place;
        several = several || place != first;
    }

    return several;
}

void servers_add(struct domain *d, uint32_t front_end, unsigned int vcpu)
{
    d->servers = need_more_memory(d->servers, d->nr_servers + 1,
                                  sizeof(*d->servers));
    d->servers[d->nr_servers++] = (struct domain_server){ front_end, vcpu };
}

/* @wanted: of vCPUs in this map; NULL: of all. */
static unsigned int count(const struct domain *d, uint32_t front_end,
                          const struct cpumap *wanted)
{
    unsigned int i, nr = 0;

    for (i = 0; i < d->nr_servers; i++)
        if (d->servers[i].front_end == front_end &&
            (!wanted || kept_on(d, d->servers[i].vcpu, wanted)))
            nr++;

    return nr;
}

bool servers_known(const struct domain *d, uint32_t front_end)
{
    return count(d, front_end, NULL);
}

double servers_part(const struct domain *d, uint32_t front_end,
                    unsigned int vcpu)
{
    unsigned int i, nr = 0, all = count(d, front_end, NULL);

    for (i = 0; i < d->nr_servers; i++)
        nr += d->servers[i].front_end == front_end &&
              d->servers[i].vcpu == vcpu;

    return all ? (double)nr / all : 0;
}

double servers_part_on(const struct domain *d, uint32_t front_end,
                       const struct cpumap *cpus)
{
    unsigned int all = count(d, front_end, NULL);

    return all ? (double)count(d, front_end, cpus) / all : -1;
}
