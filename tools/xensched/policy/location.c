/* SPDX-License-Identifier: GPL-2.0-only */
/* Derives a domain's place from its affinities and its time on pCPUs. */
#include <stdlib.h>

#include "base/alloc.h"
#include "model/residency/presence.h"
#include "outcome.h"
#include "location.h"

/* Returns the place, or cache, that contains all of @cpus. */
typedef unsigned int (*of_all)(const struct topology *t,
                               const struct cpumap *cpus);

/* @asked: consider the soft affinity as well. */
static unsigned int vcpu_at(const struct topology *t, of_all of,
                            const struct domain *d,
                            const struct domain_vcpu *vcpu, bool asked)
{
    unsigned int place;
    struct cpumap cpus;

    cpumap_init_copy(&cpus, &vcpu->hard);
    cpumap_and(&cpus, &d->pool_cpus);
    place = of(t, &cpus);
    if (place == TOPOLOGY_UNKNOWN && asked) {
        cpumap_and(&cpus, &vcpu->soft);
        place = of(t, &cpus);
    }
    cpumap_free(&cpus);

    return place;
}

static struct location most_vcpus(const struct topology *t, of_all of,
                                  unsigned int nr, const struct domain *d,
                                  bool asked)
{
    struct location w = { .place = TOPOLOGY_UNKNOWN, .share = -1 };
    unsigned int *votes = need_memory(nr, sizeof(*votes));
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        unsigned int place;

        if (!d->vcpus[i].online)
            continue;
        w.online++;
        place = vcpu_at(t, of, d, &d->vcpus[i], asked);
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

struct location location_bound(const struct topology *t,
                               const struct domain *d)
{
    return most_vcpus(t, topology_place_of_all, t->nr_places, d, false);
}

struct location location_asked(const struct topology *t,
                               const struct domain *d)
{
    return most_vcpus(t, topology_place_of_all, t->nr_places, d, true);
}

/* The place of its affinity, unless the log shows that the domain runs elsewhere. */
static struct location kept_location(const struct policy_input *input,
                                     unsigned int i, of_all of,
                                     const struct topology_place *places,
                                     unsigned int nr)
{
    const struct topology *t = input->topology;
    const struct domain *d = &input->domains->domain[i];
    struct location w = most_vcpus(t, of, nr, d, false);
    struct location asked;
    double share;

    if (w.place != TOPOLOGY_UNKNOWN)
        return w;
    asked = most_vcpus(t, of, nr, d, true);
    if (asked.place == TOPOLOGY_UNKNOWN)
        return asked;
    share = presence_share(input->matrix, d, &places[asked.place].cpus, input->now_ns);

    return share < 0 || share >= OUTCOME_THERE ? asked : w;
}

struct location location_kept(const struct policy_input *input,
                              unsigned int i)
{
    const struct topology *t = input->topology;

    return kept_location(input, i, topology_place_of_all, t->places, t->nr_places);
}

struct location location_kept_cache(const struct policy_input *input,
                                    unsigned int i)
{
    const struct topology *t = input->topology;

    return kept_location(input, i, topology_cache_of_all, t->caches, t->nr_caches);
}

struct location location_find(const struct policy_input *input,
                              unsigned int i)
{
    struct location w = location_kept(input, i);
    struct home home = homes_place(input->homes, i);

    if (w.place != TOPOLOGY_UNKNOWN)
        return w;
    w.share = home.share;
    if (home.share > LOCATION_TO_STAY)
        w.place = home.at;

    return w;
}

bool location_attracts(const struct location *w)
{
    return w->place != TOPOLOGY_UNKNOWN &&
           (w->there || w->share >= LOCATION_TO_GO);
}
