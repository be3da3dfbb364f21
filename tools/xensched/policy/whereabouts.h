/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * whereabouts.h - where a domain is meant to run: what its affinities say, or
 * if they say nothing where its vCPUs are.  (How much of its time it really
 * spends where is in presence.h.)
 */
#ifndef XENSCHED_POLICY_WHEREABOUTS_H
#define XENSCHED_POLICY_WHEREABOUTS_H

#include "model/domain.h"
#include "model/topology.h"

/*
 * The place where most of a domain's vCPUs are: a vCPU is where its hard
 * affinity binds it, or else its soft affinity, or else, if @running, where it
 * runs.  TOPOLOGY_UNKNOWN: no place has more than half of them.
 */
struct whereabouts {
    unsigned int place;
    unsigned int there; /* vCPUs */
    unsigned int online;
};

struct whereabouts whereabouts_find(const struct topology *t,
                                    const struct domain *d, bool running);

/* The same, for caches: .place is the number of one. */
struct whereabouts whereabouts_find_cache(const struct topology *t,
                                          const struct domain *d,
                                          bool running);

#endif /* XENSCHED_POLICY_WHEREABOUTS_H */
