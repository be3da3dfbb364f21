/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runnable.h - how many pCPUs a domain asks for.
 *
 * That is the time that its vCPUs run and that they wait for a pCPU.  What it
 * is served says less: of three domains which want all of one pCPU, each
 * gets a third of it.
 */
#ifndef XENSCHED_MODEL_RUNNABLE_H
#define XENSCHED_MODEL_RUNNABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "domain.h"
#include "matrix.h"

/*
 * Work out, from their times, what the vCPUs of @domains did since @before, which
 * has the same at an earlier look.  Of what was before a half counts after
 * @half_life_ns.
 */
void runnable_update(struct domains *domains, const struct domains *before,
                     uint64_t half_life_ns);

struct runnable {
    double ran;    /* pCPUs that it kept busy recently */
    double waited; /* vCPUs of it that wanted one and had none, likewise */
    /*
     * All that it waited, as Xen counts it.  Else what the rows of wake-delay
     * have, which is only from wake-ups until it ran: a lower bound.
     */
    bool whole;
};

/* All 0 when nothing is known. */
struct runnable runnable_of(const struct matrix *m, const struct domain *d, uint64_t now_ns);

/*
 * What it could use: the same as one number, but no more than its online vCPUs
 * and its cap.
 */
double runnable_demand(const struct matrix *m, const struct domain *d, uint64_t now_ns);

/* pCPUs that it gets at most: its online vCPUs, or its cap. */
double runnable_limit(const struct domain *d);

#endif /* XENSCHED_MODEL_RUNNABLE_H */
