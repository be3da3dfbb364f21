/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runnable.h - estimates the number of pCPUs that a domain demands.
 *
 * The demand is the time that its vCPUs run plus the time that they wait for a pCPU.  Service time
 * alone is too low: if three domains each demand all of one pCPU, each gets a third of it.
 */
#ifndef XENSCHED_MODEL_RUNNABLE_H
#define XENSCHED_MODEL_RUNNABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "domain.h"
#include "model/matrix/matrix.h"

/*
 * Computes the recent use of the vCPUs of @domains from their times and those of @before, an
 * earlier reading.  Earlier use decays with @half_life_ns.
 */
void runnable_update(struct domains *domains, const struct domains *before,
                     uint64_t half_life_ns);

struct runnable {
    double ran;    /* mean number of pCPUs that it kept busy recently */
    double waited; /* mean number of its vCPUs that waited for a pCPU recently */
    /*
     * waited is complete, by Xen's counts.  Else it comes from rows of wake-delay, which contain
     * only the time from wake-ups until it ran: a lower bound.
     */
    bool whole;
    double queued; /* as waited, without waits while the pCPU idled, which was waking up then */
};

/* The use of @d; all members are 0 if it is unknown. */
struct runnable runnable_of(const struct matrix *m, const struct domain *d, uint64_t now_ns);

/* The demand as one number, limited to its online vCPUs and its cap. */
double runnable_demand(const struct matrix *m, const struct domain *d, uint64_t now_ns);

/* The highest number of pCPUs that it can get: its online vCPUs, or its cap. */
double runnable_limit(const struct domain *d);

#endif /* XENSCHED_MODEL_RUNNABLE_H */
