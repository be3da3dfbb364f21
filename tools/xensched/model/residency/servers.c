/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits a driver domain's guests among its vCPUs. */
#include <string.h>

#include "base/alloc.h"
#include "servers.h"

/* Sets @cpus, which the caller frees, to the pCPUs on which the vCPU can run. */
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

/* The index of the first entry of @front_end, or where it would be. */
static unsigned int first_of(const struct domain *d, uint32_t front_end)
{
    unsigned int low = 0, high = d->nr_servers;

    while (low < high) {
        unsigned int middle = low + (high - low) / 2;

        if (d->servers[middle].front_end < front_end)
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}

void servers_add(struct domain *d, uint32_t front_end, unsigned int vcpu)
{
    unsigned int at = first_of(d, front_end), behind = d->nr_servers - at;

    d->servers = need_more_memory(d->servers, d->nr_servers + 1,
                                  sizeof(*d->servers));
    memmove(&d->servers[at + 1], &d->servers[at],
            behind * sizeof(*d->servers));
    d->servers[at] = (struct domain_server){ front_end, vcpu };
    d->nr_servers++;
}

/* The entries of @front_end, *all of them.  NULL: there are none. */
static const struct domain_server *servers_of(const struct domain *d,
                                              uint32_t front_end,
                                              unsigned int *all)
{
    unsigned int first = first_of(d, front_end), end = first;

    while (end < d->nr_servers && d->servers[end].front_end == front_end)
        end++;
    *all = end - first;

    return *all ? &d->servers[first] : NULL;
}

bool servers_known(const struct domain *d, uint32_t front_end)
{
    unsigned int all;

    return servers_of(d, front_end, &all);
}

double servers_part(const struct domain *d, uint32_t front_end,
                    unsigned int vcpu)
{
    unsigned int i, nr = 0, all;
    const struct domain_server *server = servers_of(d, front_end, &all);

    for (i = 0; i < all; i++)
        nr += server[i].vcpu == vcpu;

    return all ? (double)nr / all : 0;
}

double servers_part_on(const struct domain *d, uint32_t front_end,
                       const struct cpumap *cpus)
{
    unsigned int i, nr = 0, all;
    const struct domain_server *server = servers_of(d, front_end, &all);

    for (i = 0; i < all; i++)
        nr += kept_on(d, server[i].vcpu, cpus);

    return all ? (double)nr / all : -1;
}
