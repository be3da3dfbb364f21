/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queueing.h - learns how much of the waiting that chance makes likely happens on this host.
 *
 * If vCPUs were runnable independently of each other, some would wait although the place has
 * pCPUs for the mean demand.  vCPUs that take turns wait less.  So each plan compares the waits
 * that Xen counts with those that chance explains, at the places that are not saturated.
 */
#ifndef XENSCHED_POLICY_QUEUEING_H
#define XENSCHED_POLICY_QUEUEING_H

#include <stdint.h>

struct placement;

/* What plans have found, in vCPU-seconds; both decay.  All 0 at first. */
struct queueing {
    double waited, expected;
    uint64_t at_ns; /* of the latest plan */
};

/* Adds the waits of a placement whose units are where they were found. */
void queueing_learn(struct queueing *q, const struct placement *p, uint64_t now_ns);

/* The part of the expected waits that is counted, 0 ... 1. */
double queueing_part(const struct queueing *q);

#endif /* XENSCHED_POLICY_QUEUEING_H */
