/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * planner.h - makes plans: opinions of placement, and the constraints of guard.h.
 */
#ifndef XENSCHED_POLICY_PLANNER_H
#define XENSCHED_POLICY_PLANNER_H

#include "newcomer.h"
#include "plan.h"

struct planner;

struct planner *planner_new(const struct policies *policies,
                            const struct policy_settings *settings);
/* What is known of domains, such as when they were moved, stays known. */
void planner_change(struct planner *planner, const struct policies *policies,
                    const struct policy_settings *settings);
void planner_free(struct planner *planner);

/* @plan is initialised for the domains of @input. */
void plan_make(struct planner *planner, const struct policy_input *input,
               struct plan *plan);

/*
 * What was carried out of this plan: the decisions that are done.  To be called after
 * each plan.  What was not done is not judged, and is decided again.
 */
void plan_done(struct planner *planner, const struct policy_input *input,
               const struct plan *plan);

/* Where a guest should be that is not there yet; see newcomer.h. */
const struct decision *plan_newcomer(struct planner *planner,
                                     const struct policy_input *input,
                                     const struct newcomer *newcomer,
                                     struct decision decisions[NEWCOMER_WAYS]);

#endif /* XENSCHED_POLICY_PLANNER_H */
