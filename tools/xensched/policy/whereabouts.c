/* SPDX-License-Identifier: GPL-2.0-only */
/* whereabouts.c - see whereabouts.h. */
#include <stdio.h>
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

bool whereabouts_attracts(const struct whereabouts *w)
{
    return w->place != TOPOLOGY_UNKNOWN &&
           (w->there || w->share >= WHEREABOUTS_TO_GO);
}

void whereabouts_describe(const struct whereabouts *w,
                          const struct topology_place *place, char *text,
                          size_t size)
{
    char most[64] = "whose vCPUs are", cpus[CPUMAP_TEXT];

    cpumap_format(&place->cpus, cpus, sizeof(cpus));
    if (!w->there)
        policy_say(most, "which spends %.0f %% of its time", 100 * w->share);
    else if (w->there < w->online)
        policy_say(most, "most of whose vCPUs (%u of %u) are", w->there,
                   w->online);
    snprintf(text, size, "%s on pCPUs %.100s (%s %u)", most, cpus,
             place->kind, place->id);
}

void whereabouts_describe_spread(const struct whereabouts *w,
                                 const char *name, const char *kind,
                                 char *text, size_t size)
{
    if (w->share < 0)
        snprintf(text, size, "it is not known where %.40s lives: it is bound "
                 "to no %.8s, and service-ns has no rows of it", name, kind);
    else
        snprintf(text, size, "%.40s is spread: it spends no more than %.0f %% "
                 "of its time on one %.8s, %.0f %% are needed", name,
                 100 * w->share, kind, 100 * WHEREABOUTS_TO_GO);
}
