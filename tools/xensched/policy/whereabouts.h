/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * whereabouts.h - where a domain is: where its affinities bind most of its
 * vCPUs, or if they say nothing where it lives by the time that it spends
 * there (model/home.h).  Who lives nowhere is spread.
 */
#ifndef XENSCHED_POLICY_WHEREABOUTS_H
#define XENSCHED_POLICY_WHEREABOUTS_H

#include "policy.h"

/* The part of its time that a domain spends where it lives: for others to go
 * there, and to stay there. */
#define WHEREABOUTS_TO_GO   0.75
#define WHEREABOUTS_TO_STAY 0.5

/*
 * A vCPU is bound where its hard affinity has all its pCPUs, or else its soft
 * affinity.
 */
struct whereabouts {
    unsigned int place;  /* or cache; TOPOLOGY_UNKNOWN: none */
    unsigned int there;  /* vCPUs that are bound there; 0: it lives there */
    unsigned int online; /* vCPUs */
    /* Of who is not bound: so much of its time is most of it; -1: not known. */
    double share;
};

/* Where it is bound, and else nowhere. */
struct whereabouts whereabouts_bound(const struct topology *t,
                                     const struct domain *d);
struct whereabouts whereabouts_bound_cache(const struct topology *t,
                                           const struct domain *d);

/*
 * Where domain @i of input->domains is bound, or else where it lives: where it
 * spends more than WHEREABOUTS_TO_STAY of its time.
 */
struct whereabouts whereabouts_find(const struct policy_input *input,
                                    unsigned int i);
struct whereabouts whereabouts_find_cache(const struct policy_input *input,
                                          unsigned int i);

/* Enough of it is at the place that others should go there. */
bool whereabouts_attracts(const struct whereabouts *w);

/*
 * "whose vCPUs are on pCPUs 0-1 (node 0)"; and of one that attracts nobody why
 * not, as a sentence about @name and places of @kind.
 */
void whereabouts_describe(const struct whereabouts *w,
                          const struct topology_place *place, char *text,
                          size_t size);
void whereabouts_describe_spread(const struct whereabouts *w,
                                 const char *name, const char *kind,
                                 char *text, size_t size);

#endif /* XENSCHED_POLICY_WHEREABOUTS_H */
