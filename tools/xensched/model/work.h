/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * work.h - the cost of each guest's work between two moments: pCPU time per page that it exchanged
 * with its driver domains, or per notification if no event counts its pages.
 *
 * The cost has two parts: the guest's own service time, and its share of the service
 * time of its driver domains.  A driver domain's time is shared among its guests by
 * their pages; if no event counts pages of that driver domain, by their notifications.
 * All of its time is shared, so dom0's time for the toolstack counts as well; the
 * driver domains' own driver domains are not included.
 *
 * A page that a back end both maps and reports on a ring counts once, as in
 * policy/talk.h.
 */
#ifndef XENSCHED_MODEL_WORK_H
#define XENSCHED_MODEL_WORK_H

#include "domain.h"
#include "model/matrix/matrix.h"

/* The unit in which a guest's work is counted, the best one first. */
enum work_unit {
    WORK_PAGES,
    WORK_NOTIFICATIONS,
    WORK_TIME, /* ns of its own service time: it exchanges nothing */
    WORK_NONE, /* it did nothing, or its counters are unknown */
};

/* "page", "notification", "ns of its own time" */
const char *work_unit_name(enum work_unit unit);

struct work {
    enum work_unit unit;
    double units;
    double own_ns;    /* its own service time */
    double served_ns; /* its share of its driver domains' service time */
    double waited_ns; /* runnable without a pCPU, summed over its vCPUs */
    /* Counted by the caller (daemon/core/observe-host.c); -1: unknown. */
    double wakes;      /* wake-ups of its vCPUs */
    double migrations; /* of its vCPUs, to another pCPU */
    bool by_pages;    /* all of served_ns was divided by pages */
    double notifications; /* with its driver domains, in the same time */
    bool copied;      /* of its pages most were copied, not mapped or on a ring */
};

/* pCPU time per unit, in ns; 0: there is no unit. */
double work_cost(const struct work *work);

/* All counters at one moment.  Sums since each domain was first seen. */
struct work_sums;

struct work_sums *work_sums_take(const struct matrix *m,
                                 const struct domains *domains,
                                 uint64_t now_ns);
void work_sums_free(struct work_sums *sums);
uint64_t work_sums_time(const struct work_sums *sums);

/* A unit is used only if it occurred at least this often. */
#define WORK_LEAST 20.0

/*
 * Returns the work between @before and @after of each domain of @after, in that order; the caller
 * frees it.  A domain that is not in both, or whose counters restarted, has WORK_NONE, as driver
 * domains have.
 */
struct work *work_between(const struct work_sums *before,
                          const struct work_sums *after);

#endif /* XENSCHED_MODEL_WORK_H */
