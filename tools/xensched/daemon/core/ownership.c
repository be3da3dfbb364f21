/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides whether Xen, the toolstack, an operator or the daemon set an affinity. */
#include <limits.h>
#include <string.h>

#include "base/fnv.h"
#include "core-parts.h"

/* After this time a domain that has not run counts as built and paused. */
#define BUILDING_NS 300000000000ULL

/*
 * An operator may set exactly the default affinity, which looks as if it was never set.  So it
 * counts as the operator's for this long; 'xensched hold' keeps a domain permanently.
 */
#define SET_TO_DEFAULT_NS 600000000000ULL

static uint64_t add_map(uint64_t print, const struct cpumap *map)
{
    static const unsigned int end = UINT_MAX;
    unsigned int cpu;

    for (cpu = 0; cpu < map->nr_cpus; cpu++)
        if (cpumap_test(map, cpu))
            print = fnv(print, &cpu, sizeof(cpu));

    return fnv(print, &end, sizeof(end));
}

static uint64_t fingerprint_of(const struct domain *d)
{
    uint64_t print = FNV_BEGIN;
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        print = add_map(print, &d->vcpus[i].hard);
        print = add_map(print, &d->vcpus[i].soft);
    }

    return print ? print : 1;
}

static bool all_of_whole_places(const struct topology *t,
                                const struct cpumap *cpus)
{
    unsigned int i, cpu;

    for (i = 0; i < t->nr_places; i++)
        for (cpu = 0; cpu < t->nr_cpus; cpu++)
            if (cpumap_test(cpus, cpu) && t->cpus[cpu].place == i &&
                !cpumap_subset(&t->places[i].cpus, cpus))
                return false;

    return true;
}

/*
 * Does the affinity look like xl's own choice for a configuration without one: NUMA nodes as the
 * soft affinity of all vCPUs?
 */
static bool looks_automatic(const struct topology *t, const struct domain *d)
{
    unsigned int i;

    if (!t->nr_places || strcmp(t->places[0].kind, "node"))
        return false;
    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_subset(&d->pool_cpus, &d->vcpus[i].hard) ||
            !cpumap_equal(&d->vcpus[i].soft, &d->vcpus[0].soft))
            return false;

    return d->nr_vcpus && all_of_whole_places(t, &d->vcpus[0].soft);
}

static bool is_automatic(const struct ownership *o, struct member *member,
                         const struct domain *d)
{
    /* Nodes also change when pCPUs come or go. */
    if (member->automatic && member->automatic == fingerprint_of(d))
        return true;
    if (!looks_automatic(o->topology, d))
        return false;
    if (member->configured == NOT_ASKED) {
        int names = o->host->names_affinity(o->host->data, d->domid);

        /* Stops asking a toolstack that stores no configuration. */
        if (names >= 0 || o->now_ns - member->since_ns >= BUILDING_NS)
            member->configured = names ? NAMES_ONE : NAMES_NONE;
    }
    if (member->configured == NAMES_NONE)
        member->automatic = fingerprint_of(d);

    return member->configured == NAMES_NONE;
}

/*
 * While a domain is being built its toolstack may set an affinity; that is not an operator's.
 * vCPUs get it when they are created, but the domain may be visible for long before that.
 */
static bool may_be_built(const struct ownership *o, const struct member *member,
                         const struct domain *d)
{
    uint64_t age = o->now_ns - member->since_ns;
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (!d->vcpus[i].times.known || d->vcpus[i].times.ran_ns)
            return age < o->settle_ns;

    return age < o->settle_ns || age < BUILDING_NS;
}

/* Has it become something other than the default, not by the daemon? */
static bool changed_by_others(const struct ownership *o, struct member *member,
                              const struct domain *d)
{
    uint64_t print = fingerprint_of(d);
    bool changed = member->fingerprint && member->fingerprint != print &&
                   !domain_has_default_affinity(d);

    if (!may_be_built(o, member, d))
        member->fingerprint = print;

    return changed;
}

/* Xen resets the affinities of a domain that moves to another cpupool. */
static bool went_to_other_pool(struct member *member, const struct domain *d)
{
    bool went = member && member->pool_known && member->pool != d->pool;

    if (!member)
        return false;
    member->pool_known = true;
    member->pool = d->pool;
    if (went) {
        member->operators = false;
        ownership_look_anew(member);
    }

    return went;
}

static bool is_operators(const struct ownership *o, struct member *member,
                         const struct domain *d, enum claim claim)
{
    if (claim == CLAIM_LOST || changed_by_others(o, member, d)) {
        member->operators = true;
        member->operators_ns = o->now_ns;
    }
    if (member->operators && domain_has_default_affinity(d) &&
        o->now_ns - member->operators_ns >= SET_TO_DEFAULT_NS)
        member->operators = false;

    return member->operators ||
           (!domain_has_default_affinity(d) && !is_automatic(o, member, d));
}

void ownership_find(const struct ownership *o, struct member *member,
                    struct domain *d)
{
    bool reset = went_to_other_pool(member, d);
    enum claim claim = actuator_claim(o->actuator, d, reset);

    d->affinity = AFFINITY_OPERATOR;
    if (claim == CLAIM_OURS) {
        d->affinity = AFFINITY_OURS;
        cpumap_init_copy(&d->ours, actuator_ours(o->actuator, d));
        d->ours_hard = actuator_is_hard(o->actuator, d);
        ownership_look_anew(member);
        return;
    }
    if (member && !is_operators(o, member, d, claim))
        d->affinity = AFFINITY_DEFAULT;
}

void ownership_look_anew(struct member *member)
{
    if (member)
        member->fingerprint = 0;
}
