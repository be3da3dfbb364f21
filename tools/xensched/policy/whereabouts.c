/* SPDX-License-Identifier: GPL-2.0-only */
/* whereabouts.c - see whereabouts.h. */
#include <stdlib.h>

#include "model/memory.h"
#include "whereabouts.h"

/* Either all places or all caches. */
struct kind {
    unsigned int nr;
    unsigned int (*of)(const struct topology *t, unsigned int cpu);
    unsigned int (*of_all)(const struct topology *t,
                           const struct cpumap *cpus);
};

static unsigned int place_of_vcpu(const struct topology *t,
                                  const struct kind *kind,
                                  const struct domain *d,
                                  const struct domain_vcpu *vcpu,
                                  bool running)
{
    unsigned int place;
    struct cpumap cpus;

    cpumap_init_copy(&cpus, &vcpu->hard);
    cpumap_and(&cpus, &d->pool_cpus);
    place = kind->of_all(t, &cpus);
    if (place == TOPOLOGY_UNKNOWN) {
        cpumap_and(&cpus, &vcpu->soft);
        place = kind->of_all(t, &cpus);
    }
    cpumap_free(&cpus);
    if (place == TOPOLOGY_UNKNOWN && running)
        place = kind->of(t, vcpu->cpu);

    return place;
}

static struct whereabouts find(const struct topology *t,
                               const struct kind *kind,
                               const struct domain *d, bool running)
{
    struct whereabouts w = { .place = TOPOLOGY_UNKNOWN };
    unsigned int *votes = need_memory(kind->nr, sizeof(*votes));
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        unsigned int place;

        if (!d->vcpus[i].online)
            continue;
        w.online++;
        place = place_of_vcpu(t, kind, d, &d->vcpus[i], running);
        if (place != TOPOLOGY_UNKNOWN)
            votes[place]++;
    }
    for (i = 0; i < kind->nr; i++)
        if (2 * votes[i] > w.online) {
            w.place = i;
            w.there = votes[i];
        }
    free(votes);

    return w;
}

struct whereabouts whereabouts_find(const struct topology *t,
                                    const struct domain *d, bool running)
{
    const struct kind places = {
        t->nr_places, topology_place_of, topology_place_of_all
    };

    return find(t, &places, d, running);
}

struct whereabouts whereabouts_find_cache(const struct topology *t,
                                          const struct domain *d,
                                          bool running)
{
    const struct kind caches = {
        t->nr_caches, topology_cache_of, topology_cache_of_all
    };

    return find(t, &caches, d, running);
}
