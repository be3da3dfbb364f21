/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes plans: asks for opinions, and applies the constraints. */
#include <stdlib.h>

#include "base/alloc.h"
#include "guard.h"
#include "planner.h"

struct planner {
    struct policies policies;
    struct policy_settings settings;
    struct guard *guard;
};

struct planner *planner_new(const struct policies *policies,
                            const struct policy_settings *settings)
{
    struct planner *p = need_memory(1, sizeof(*p));

    p->policies = *policies;
    p->settings = *settings;
    p->guard = guard_new(settings);

    return p;
}

void planner_change(struct planner *p, const struct policies *policies,
                    const struct policy_settings *settings)
{
    p->policies = *policies;
    p->settings = *settings;
    guard_change(p->guard, settings);
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    guard_free(p->guard);
    free(p);
}

void plan_make(struct planner *p, const struct policy_input *input,
               struct plan *plan)
{
    struct opinion *opinions = need_memory(plan->nr, sizeof(*opinions));
    struct policy_input seen = *input;

    guard_begin(p->guard, &seen, plan);
    place_opinions(&p->policies, &p->settings, &seen, opinions);
    guard_decide(p->guard, opinions);
    free(opinions);
}

void plan_done(struct planner *p, const struct policy_input *input,
               const struct plan *plan)
{
    struct policy_input seen = *input;

    guard_done(p->guard, &seen, plan);
}

const struct decision *plan_newcomer(struct planner *p, const struct policy_input *input,
                                     const struct newcomer *newcomer,
                                     struct decision decisions[NEWCOMER_WAYS])
{
    return newcomer_place(p->guard, &p->settings, input, newcomer, decisions);
}
