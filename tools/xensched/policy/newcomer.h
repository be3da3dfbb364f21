/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newcomer.h - chooses a place for a guest that does not exist yet, so that xl can allocate its
 * memory there: near the domains with which the guest communicated most when it last ran, by
 * the price of being apart.  If that is unknown or impossible, the place is near the domains
 * that will serve its disks.
 *
 * These are opinions.  The guard decides whether cores, room, cpupool and rules allow them.
 */
#ifndef XENSCHED_POLICY_NEWCOMER_H
#define XENSCHED_POLICY_NEWCOMER_H

#include "guard.h"

/* A domain with which the guest communicated; rates are per second. */
struct acquaintance {
    unsigned int domain; /* the number in input->domains */
    double notifications, pages;
};

struct newcomer {
    struct arrival arrival;
    bool ran;    /* the history has its partners */
    unsigned int nr_known;
    const struct acquaintance *known; /* its partners that exist */
    unsigned int nr_disks;
    const unsigned int *disks; /* [disk]: the domain that will serve it, as above */
};

/* Judges by its history, and by the domains that will serve its disks. */
#define NEWCOMER_WAYS 2U

/*
 * Call this after plan_make() has made a plan for the same domains.  Returns the decision among
 * @decisions that is a MOVE; its policy is "history" or "back-ends".  NULL: there is none, and
 * the decisions have the reasons.
 */
const struct decision *newcomer_place(struct guard *guard,
                                      const struct policy_settings *settings,
                                      const struct policy_input *input,
                                      const struct newcomer *newcomer,
                                      struct decision decisions[NEWCOMER_WAYS]);

#endif /* XENSCHED_POLICY_NEWCOMER_H */
