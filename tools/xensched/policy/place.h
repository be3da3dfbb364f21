/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place.h - describes a host as a placement (placement/placement.h), and computes the savings
 * of a move.  For the policy in place.c alone.
 */
#ifndef XENSCHED_POLICY_PLACE_H
#define XENSCHED_POLICY_PLACE_H

#include "placement/placement.h"
#include "placement/term.h"
#include "policy.h"
#include "reason.h"

struct place_host {
    const struct policy_input *input;
    const struct policies *policies;
    bool counts_misses;   /* as in struct policy_settings */
    struct placement placement;
    unsigned int *unit;   /* [domain]: its unit */
    unsigned int *members; /* [unit]: number of domains */
    unsigned int *stands; /* [unit]: the domain that represents it */
    /*
     * If a driver domain has vCPUs at several places, each of them is a unit of its own,
     * so that guests can be near it.  Its domain takes the room.
     */
    unsigned int *vcpu;   /* [unit]: vCPU of that domain; ALL_VCPUS */
    unsigned int *server; /* [domain]: the unit of its vCPU 0; 0: it has none */
    double *talks;        /* [unit]: interactions/s with other units */
    double *notifications; /* [domain]: per second, both directions */
    double *ran, *ran_in; /* [domain][place], [domain][cache]: share of its time; -1 */
    /* ns/s of each unit at its origin: [unit][term]. */
    double *before;
};

static inline const struct domain *place_domain(const struct place_host *h, unsigned int i)
{
    return &h->input->domains->domain[i];
}

/* The caller frees *@h with place_free(). */
void place_describe(struct place_host *h, const struct policy_input *input,
                    const struct policies *policies,
                    const struct policy_settings *settings);
void place_free(struct place_host *h);

/*
 * Returns whether domain @i, which may move, is elsewhere than its unit: the rest of its group is,
 * or it is at the core of a back end, where it may not stay.
 */
bool place_strays(const struct place_host *h, unsigned int i);

/*
 * Computes what @unit saves and costs if it moves from its original place to @spot, while all
 * other units stay where they are now.
 */
void place_savings(const struct place_host *h, unsigned int unit, unsigned int spot,
                   struct savings *savings);

#endif /* XENSCHED_POLICY_PLACE_H */
