/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * planner.h - makes plans from the opinions of placement and the constraints of guard.h.
 */
#ifndef XENSCHED_POLICY_PLANNER_H
#define XENSCHED_POLICY_PLANNER_H

#include "plan.h"

struct planner;

struct planner *planner_new(const struct policies *policies,
                            const struct policy_settings *settings);
/* Changes the settings; the state of domains, such as the time of a move, stays. */
void planner_change(struct planner *planner, const struct policies *policies,
                    const struct policy_settings *settings);
void planner_free(struct planner *planner);

/* Caller has initialised @plan for the domains of @input. */
void plan_make(struct planner *planner, const struct policy_input *input,
               struct plan *plan);

/*
 * Records which decisions of this plan are done.  Call this after each plan.  The planner does
 * not judge the others; the next plan decides again.
 */
void plan_done(struct planner *planner, const struct policy_input *input,
               const struct plan *plan);

/* Describes a guest that does not exist yet. */
struct arrival {
    /* Has its name, cpupool, rule and vCPUs only. */
    const struct domain *domain;
    struct demand demand;
    const struct demand *promised; /* [place]: reservations for other new guests */
};

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
 * Chooses the place of a guest that does not exist yet (newcomer.c).  Call this after plan_make()
 * has made a plan for the same domains.  Returns the decision among @decisions that is a MOVE;
 * its policy is "history" or "back-ends".  NULL: there is none, and the decisions have the reasons.
 */
const struct decision *plan_newcomer(struct planner *planner,
                                     const struct policy_input *input,
                                     const struct newcomer *newcomer,
                                     struct decision decisions[NEWCOMER_WAYS]);

#endif /* XENSCHED_POLICY_PLANNER_H */
