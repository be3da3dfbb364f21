/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * location.h - finds the place of a domain, from its affinity and from the log.
 *
 * A hard affinity is binding, so it determines where a domain runs.  Xen may ignore a soft
 * affinity, so the log decides: a soft affinity counts only if the log confirms it, or has no
 * rows of the domain.  A domain that runs at several places is spread.
 */
#ifndef XENSCHED_POLICY_LOCATION_H
#define XENSCHED_POLICY_LOCATION_H

#include "policy.h"

/*
 * The part of its time that a domain spends at its place before others move there, and while
 * they stay.
 */
#define LOCATION_TO_GO   0.75
#define LOCATION_TO_STAY 0.5

struct location {
    unsigned int place;  /* or cache; TOPOLOGY_UNKNOWN: none */
    unsigned int there;  /* vCPUs that an affinity keeps there; 0: none */
    unsigned int online; /* vCPUs */
    /* If no affinity keeps it: the largest share of its time at one place; -1: unknown. */
    double share;
};

/* The place to which hard affinities bind most of its vCPUs. */
struct location location_bound(const struct topology *t,
                               const struct domain *d);

/* The place that most of its vCPUs have as affinity, hard or soft. */
struct location location_asked(const struct topology *t,
                               const struct domain *d);

/* The place at which an affinity keeps domain @i: a hard one, or a soft one that Xen follows. */
struct location location_kept(const struct policy_input *input,
                              unsigned int i);
struct location location_kept_cache(const struct policy_input *input,
                                    unsigned int i);

/*
 * Returns where an affinity keeps domain @i, or else where the domain spends more than
 * LOCATION_TO_STAY of its time.
 */
struct location location_find(const struct policy_input *input,
                              unsigned int i);

/* Returns whether enough of the domain is at the place to move others there. */
bool location_attracts(const struct location *w);

#endif /* XENSCHED_POLICY_LOCATION_H */
