/* SPDX-License-Identifier: GPL-2.0-only */
/* whereabouts.c - see whereabouts.h. */
#include <stdlib.h>

#include "model/memory.h"
#include "whereabouts.h"

/* The place, or cache, which all of @cpus are in. */
typedef unsigned int (*of_all)(const struct topology *t,
                               const struct cpumap *cpus);

static unsigned int bound_at(const struct topology *t, of_all of,
                             const struct domain *d,
                             const struct domain_vcpu *vcpu)
{
    unsigned int place;
    struct cpumap cpus;

    cpumap_init_copy(&cpus, &vcpu->hard);
    cpumap_and(&cpus, &d->pool_cpus);
    place = of(t, &cpus);
    if (place == TOPOLOGY_UNKNOWN) {
        cpumap_and(&cpus, &vcpu->soft);
        place = of(t, &cpus);
    }
    cpumap_free(&cpus);

    return place;
}

static struct whereabouts bound(const struct topology *t, of_all of,
                                unsigned int nr, const struct domain *d)
{
    struct whereabouts w = { .place = TOPOLOGY_UNKNOWN, .share = -1 };
    unsigned int *votes = need_memory(nr, sizeof(*votes));
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        unsigned int place;

        if (!d->vcpus[i].online)
            continue;
        w.online++;
        place = bound_at(t, of, d, &d->vcpus[i]);
        if (place != TOPOLOGY_UNKNOWN)
            votes[place]++;
    }
    for (i = 0; i < nr; i++)
        if (2 * votes[i] > w.online) {
            w.place = i;
            w.there = votes[i];
        }
    free(votes);

    return w;
}

struct whereabouts whereabouts_bound(const struct topology *t,
                                     const struct domain *d)
{
    return bound(t, topology_place_of_all, t->nr_places, d);
}

struct whereabouts whereabouts_bound_cache(const struct topology *t,
                                           const struct domain *d)
{
    return bound(t, topology_cache_of_all, t->nr_caches, d);
}

static struct whereabouts or_home(struct whereabouts w, struct home home)
{
    if (w.place != TOPOLOGY_UNKNOWN)
        return w;
    w.share = home.share;
    if (home.share > WHEREABOUTS_TO_STAY)
        w.place = home.at;

    return w;
}

struct whereabouts whereabouts_find(const struct policy_input *input,
                                    unsigned int i)
{
    return or_home(whereabouts_bound(input->topology,
                                     &input->domains->domain[i]),
                   homes_place(input->homes, i));
}

struct whereabouts whereabouts_find_cache(const struct policy_input *input,
                                          unsigned int i)
{
    return or_home(whereabouts_bound_cache(input->topology,
                                           &input->domains->domain[i]),
                   homes_cache(input->homes, i));
}
