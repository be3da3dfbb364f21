/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * residence.h - counts where domains ran between two moments, by the rows of the log.
 *
 * An affinity is a request: Xen may ignore a soft one.  So a trial reports residency besides cost.
 */
#ifndef XENSCHED_TRIAL_RESIDENCE_H
#define XENSCHED_TRIAL_RESIDENCE_H

#include "model/domain.h"
#include "model/matrix/matrix.h"

/* Service time of each domain on each pCPU, up to one moment. */
struct residence;

struct residence *residence_take(const struct matrix *m,
                                 const struct domains *domains);
void residence_free(struct residence *r);

/* Time of a domain, in ns: at its target, and in total. */
struct residence_time {
    double there, ran;
};

/*
 * Returns the time of @d between two moments.  All is 0 if the log does not show it: service-ns is
 * off, the domain's accounting domain has other members, or the domain is younger.
 */
struct residence_time residence_between(const struct residence *before,
                                        const struct residence *after,
                                        const struct domain *d,
                                        const struct cpumap *target);

/* Returns 0 ... 1; -1: it did not run, or the log does not show where. */
double residence_share(const struct residence_time *time);

#endif /* XENSCHED_TRIAL_RESIDENCE_H */
