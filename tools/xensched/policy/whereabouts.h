/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * whereabouts.h - where a domain is.
 *
 * A hard affinity binds, so it says where a domain runs.  A soft affinity only asks: Xen
 * may ignore it.  So what the log says of where the domain ran decides, and a soft
 * affinity counts only where the log confirms it or has nothing of the domain.
 * A domain that runs here and there is spread.
 */
#ifndef XENSCHED_POLICY_WHEREABOUTS_H
#define XENSCHED_POLICY_WHEREABOUTS_H

#include "policy.h"

/* The part of its time that a domain spends at its place: for others to go
 * there, and to stay there. */
#define WHEREABOUTS_TO_GO   0.75
#define WHEREABOUTS_TO_STAY 0.5

struct whereabouts {
    unsigned int place;  /* or cache; TOPOLOGY_UNKNOWN: none */
    unsigned int there;  /* vCPUs that an affinity keeps there; 0: none */
    unsigned int online; /* vCPUs */
    /* If it is not kept: this share of its time is most of it; -1: not known. */
    double share;
};

/* Where hard affinities bind most of its vCPUs. */
struct whereabouts whereabouts_bound(const struct topology *t,
                                     const struct domain *d);

/* Where affinities, hard or soft, ask most of its vCPUs to be. */
struct whereabouts whereabouts_asked(const struct topology *t,
                                     const struct domain *d);

/* Where an affinity keeps domain @i: it is bound, or asked and does run there. */
struct whereabouts whereabouts_kept(const struct policy_input *input,
                                    unsigned int i);
struct whereabouts whereabouts_kept_cache(const struct policy_input *input,
                                          unsigned int i);

/*
 * Where domain @i is kept, or else where it spends more than
 * WHEREABOUTS_TO_STAY of its time.
 */
struct whereabouts whereabouts_find(const struct policy_input *input,
                                    unsigned int i);

/* Enough of it is at the place that others should go there. */
bool whereabouts_attracts(const struct whereabouts *w);

#endif /* XENSCHED_POLICY_WHEREABOUTS_H */
