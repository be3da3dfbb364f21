/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * home.h - finds the home of each domain: the place at which it spends most of its time.
 *
 * Xen moves the vCPUs of a domain without affinity, so their present pCPUs do not show its
 * home.  The home follows from the rows of service-ns, smoothed over tens of seconds: long
 * enough that a guest can be sent there.  presence.h has the shares of the last second.
 *
 * The home is unknown for domains without an accounting domain, for domains that the daemon
 * has seen for HOMES_SEEN_NS or less or that have not run since, and for all domains if
 * service-ns is not logged.
 */
#ifndef XENSCHED_MODEL_HOME_H
#define XENSCHED_MODEL_HOME_H

#include "model/domain.h"
#include "model/matrix/matrix.h"
#include "model/topology/topology.h"

/* The half-life of a nanosecond. */
#define HOMES_HALF_LIFE_NS 10000000000ULL

#define HOMES_SEEN_NS 4000000000ULL

struct homes;

struct homes *homes_new(void);
void homes_free(struct homes *h);

/*
 * Adds the running times since the last update.  @domains is sorted by domid.  Until the next
 * update, homes_place() takes the number of a domain in @domains.
 */
void homes_update(struct homes *h, const struct matrix *m,
                  const struct topology *t, const struct domains *domains,
                  uint64_t now_ns);

/* The place at which a domain spends most of its time, and the share of that time. */
struct home {
    unsigned int at; /* a place; TOPOLOGY_UNKNOWN: unknown */
    double share;    /* 0 ... 1; -1: unknown */
};

struct home homes_place(const struct homes *h, unsigned int i);

#endif /* XENSCHED_MODEL_HOME_H */
