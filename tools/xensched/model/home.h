/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * home.h - where domains live: the place at which a domain spends most of its time.
 *
 * Where a vCPU is at the moment says little of a domain that is bound nowhere: Xen
 * moves it about.  So what counts is the time that it ran where, by the rows of
 * service-ns, smoothed over tens of seconds: long enough that a guest can be
 * sent there.  (What happened in the last second is presence.h's.)
 *
 * Unknown are domains for which REST stands, domains that were seen for HOMES_SEEN_NS
 * or less or have not run since, and all when service-ns is not logged.
 */
#ifndef XENSCHED_MODEL_HOME_H
#define XENSCHED_MODEL_HOME_H

#include "domain.h"
#include "matrix.h"
#include "topology.h"

/* The half-life of a nanosecond. */
#define HOMES_HALF_LIFE_NS 10000000000ULL

#define HOMES_SEEN_NS 4000000000ULL

struct homes;

struct homes *homes_new(void);
void homes_free(struct homes *h);

/*
 * Take in what was run since the last update.  @domains are sorted by domid;
 * below they are known by their number in it, until the next update.
 */
void homes_update(struct homes *h, const struct matrix *m,
                  const struct topology *t, const struct domains *domains,
                  uint64_t now_ns);

/* Where it spends most of its time, and how much. */
struct home {
    unsigned int at; /* a place; TOPOLOGY_UNKNOWN: unknown */
    double share;    /* 0 ... 1; -1: unknown */
};

struct home homes_place(const struct homes *h, unsigned int i);

#endif /* XENSCHED_MODEL_HOME_H */
