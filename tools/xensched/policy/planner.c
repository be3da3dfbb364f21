/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks each policy in order, and applies the constraints. */
#include <stdlib.h>

#include "base/alloc.h"
#include "guard.h"
#include "planner.h"

struct planner {
    struct policies policies;
    void *memory[POLICIES_MAX];
    struct policy_settings settings;
    struct guard *guard;
};

static void make_policies(struct planner *p, const struct policies *policies,
                          const struct policy_settings *settings)
{
    unsigned int i;

    p->policies = *policies;
    p->settings = *settings;
    for (i = 0; i < policies->nr; i++)
        p->memory[i] = policies->policy[i]->create(settings);
}

static void free_policies(struct planner *p)
{
    unsigned int i;

    for (i = 0; i < p->policies.nr; i++)
        p->policies.policy[i]->destroy(p->memory[i]);
}

struct planner *planner_new(const struct policies *policies,
                            const struct policy_settings *settings)
{
    struct planner *p = need_memory(1, sizeof(*p));

    make_policies(p, policies, settings);
    p->guard = guard_new(settings, policies->nr > 1);

    return p;
}

void planner_change(struct planner *p, const struct policies *policies,
                    const struct policy_settings *settings)
{
    free_policies(p);
    make_policies(p, policies, settings);
    guard_change(p->guard, settings, policies->nr > 1);
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    free_policies(p);
    guard_free(p->guard);
    free(p);
}

void plan_make(struct planner *p, const struct policy_input *input,
               struct plan *plan)
{
    struct policy_input seen = *input;
    struct opinion *opinions;
    unsigned int i;

    guard_begin(p->guard, &seen, plan);
    for (i = 0; i < p->policies.nr; i++) {
        const struct policy *policy = p->policies.policy[i];

        opinions = need_memory(plan->nr, sizeof(*opinions));
        policy->run(p->memory[i], &seen, opinions);
        guard_take(p->guard, policy->name, opinions);
        free(opinions);
    }
    guard_end(p->guard);
}

void plan_done(struct planner *p, const struct policy_input *input,
               const struct plan *plan)
{
    struct policy_input seen = *input;

    guard_done(p->guard, &seen, plan);
}

bool plan_newcomer(struct planner *p, const struct policy_input *input,
                   const struct newcomer *newcomer, struct decision *decision)
{
    return newcomer_place(p->guard, &p->settings, input, newcomer, decision);
}
