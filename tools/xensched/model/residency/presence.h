/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * presence.h - finds the pCPUs on which a domain ran, by the rows of service-ns.
 * location.h has the pCPUs of its affinity.
 *
 * Shares are parts of the time that the domain ran, 0 ... 1, decaying with the half-life of
 * the matrix.  -1: unknown, because the domain has not run recently, service-ns is not logged,
 * or the domain has no accounting domain.
 */
#ifndef XENSCHED_MODEL_PRESENCE_H
#define XENSCHED_MODEL_PRESENCE_H

#include "model/domain.h"
#include "model/matrix/matrix.h"
#include "model/topology/topology.h"

/* Does @d have an accounting domain? */
bool presence_known(const struct domain *d);

/* The share of its time that @d ran on @cpus. */
double presence_share(const struct matrix *m, const struct domain *d,
                      const struct cpumap *cpus, uint64_t now_ns);

/*
 * The shares of all domains in all caches at once, [domain][cache]: faster than single calls, if
 * the caller needs most of them.  The caller frees the result.
 */
double *presence_by_cache(const struct matrix *m, const struct topology *t,
                          const struct domains *domains, uint64_t now_ns);

/* The same for places, from those for caches of @nr domains: [domain][place]. */
double *presence_by_place(const struct topology *t, const double *by_cache, unsigned int nr);

/*
 * The probability that an interaction of @a and @b finds both at the same place; -1: unknown.
 * @ran_a, @ran_b: the shares of presence_share() per place, if the caller has them; NULL: the
 * function computes them.
 */
double presence_together(const struct matrix *m, const struct topology *t,
                         const struct domain *a, const struct domain *b,
                         const double *ran_a, const double *ran_b, uint64_t now_ns);

/* The number of @cpus that @d keeps busy; 0: none, or unknown. */
double presence_use(const struct matrix *m, const struct domain *d,
                    const struct cpumap *cpus, uint64_t now_ns);

/* The time that @d ever ran on @cpus, in ns, without decay. */
uint64_t presence_total(const struct matrix *m, const struct domain *d,
                        const struct cpumap *cpus);

/*
 * Estimates the notifications per second, in both directions, between @a and @b while they
 * were at different places.  The estimate multiplies the rate by the shares of both, as if their
 * locations were independent.  For a driver domain at several places, the vCPUs count that
 * serve the other domain (servers.h).  -1: the location of @a or @b is unknown.
 */
double presence_crossings(const struct matrix *m, const struct topology *t,
                          const struct domain *a, const struct domain *b,
                          uint64_t now_ns);

/* Sums per second over all other domains that have an accounting domain. */
struct domain_exchange {
    double notifications;
    double crossings; /* part of the notifications, as above; -1: the domain has not run recently */
};

/* Returns the sums of each domain, [domain]; the caller frees them. */
struct domain_exchange *presence_exchanges(const struct matrix *m, const struct topology *t,
                                           const struct domains *domains, uint64_t now_ns);

/*
 * The part of @a's notifications with driver domains that were at another place, 0 ... 1; -1:
 * unknown, or it has none.
 */
double presence_apart(const struct matrix *m, const struct topology *t,
                      const struct domains *domains, const struct domain *a,
                      uint64_t now_ns);

#endif /* XENSCHED_MODEL_PRESENCE_H */
