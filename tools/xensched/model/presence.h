/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * presence.h - where a domain really ran, by the log: each row of service-ns is
 * of the pCPU which was used.  What an affinity asks for is in whereabouts.h.
 *
 * Shares are parts of the time that the domain ran, 0 ... 1, decaying with the
 * half-life of the matrix; -1: unknown, because it has not run recently,
 * service-ns is not logged, or it has no accounting domain of its own.
 */
#ifndef XENSCHED_MODEL_PRESENCE_H
#define XENSCHED_MODEL_PRESENCE_H

#include "domain.h"
#include "matrix.h"
#include "topology.h"

/* Does @d have an accounting domain of its own? */
bool presence_known(const struct domain *d);

/* The share of its time that @d ran on @cpus. */
double presence_share(const struct matrix *m, const struct domain *d,
                      const struct cpumap *cpus, uint64_t now_ns);

/*
 * The same for all domains and caches at once, [domain][cache]: faster, if most are asked
 * for.  The caller frees it.
 */
double *presence_by_cache(const struct matrix *m, const struct topology *t,
                          const struct domains *domains, uint64_t now_ns);

/*
 * How likely it is that what @a and @b do with each other finds both at the same place; -1:
 * unknown.  @ran_a, @ran_b: the shares of presence_share() per place, for callers that have
 * them; NULL: they are looked up.
 */
double presence_together(const struct matrix *m, const struct topology *t,
                         const struct domain *a, const struct domain *b,
                         const double *ran_a, const double *ran_b, uint64_t now_ns);

/* pCPUs that it keeps busy there; 0: none, or unknown. */
double presence_use(const struct matrix *m, const struct domain *d,
                    const struct cpumap *cpus, uint64_t now_ns);

/* Nanoseconds, never decayed, that it ran on @cpus. */
uint64_t presence_total(const struct matrix *m, const struct domain *d,
                        const struct cpumap *cpus);

/*
 * Notifications per second, in both directions, between @a and @b while they
 * were at different places: an estimate, from how many there were and from the
 * shares of both, as if where the one runs did not depend on the other.  Of a
 * driver domain that is at several places it is those vCPUs that count which serve
 * the other one (servers.h).  -1: it is not known where they ran.
 */
double presence_crossings(const struct matrix *m, const struct topology *t,
                          const struct domain *a, const struct domain *b,
                          uint64_t now_ns);

/* The same with all of @domains that are not @a; those unknown count 0. */
double presence_all_crossings(const struct matrix *m, const struct topology *t,
                              const struct domains *domains,
                              const struct domain *a, uint64_t now_ns);

/*
 * The part of @a's notifications with driver domains that were at another place: 0 near
 * all of them, 1 far from all.  -1: not known, or it has none.
 */
double presence_apart(const struct matrix *m, const struct topology *t,
                      const struct domains *domains, const struct domain *a,
                      uint64_t now_ns);

/* All of them, wherever both were, with those whose shares are known. */
double presence_all_notifications(const struct matrix *m,
                                  const struct domains *domains,
                                  const struct domain *a, uint64_t now_ns);

#endif /* XENSCHED_MODEL_PRESENCE_H */
