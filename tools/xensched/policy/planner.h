/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * planner.h - makes plans from the opinions of placement and the constraints of guard.h.
 */
#ifndef XENSCHED_POLICY_PLANNER_H
#define XENSCHED_POLICY_PLANNER_H

#include "newcomer.h"
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

/* Chooses the place of a guest that does not exist yet; see newcomer.h. */
const struct decision *plan_newcomer(struct planner *planner,
                                     const struct policy_input *input,
                                     const struct newcomer *newcomer,
                                     struct decision decisions[NEWCOMER_WAYS]);

#endif /* XENSCHED_POLICY_PLANNER_H */
