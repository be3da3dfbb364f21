/* SPDX-License-Identifier: GPL-2.0-only */
/* plan.c - plans, and how several policies make one; see plan.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "guard.h"
#include "plan.h"

struct planner {
    struct policies policies;
    void *memory[POLICIES_MAX];
    struct guard *guard;
};

const char *verb_name(enum verb verb)
{
    static const char *const names[] = {
        [LEAVE] = "leave",
        [MOVE] = "move",
        [KEEP] = "keep",
        [GIVE_BACK] = "give-back",
    };

    return names[verb];
}

void plan_init(struct plan *plan, const struct domains *domains)
{
    unsigned int i;

    plan->nr = domains->nr;
    plan->decisions = need_memory(domains->nr, sizeof(*plan->decisions));
    for (i = 0; i < domains->nr; i++)
        plan->decisions[i].domid = domains->domain[i].domid;
}

void plan_free(struct plan *plan)
{
    unsigned int i;

    for (i = 0; i < plan->nr; i++)
        cpumap_free(&plan->decisions[i].soft);
    free(plan->decisions);
    memset(plan, 0, sizeof(*plan));
}

void decide(struct decision *decision, enum verb verb, const char *format, ...)
{
    va_list args;

    decision->verb = verb;
    va_start(args, format);
    vsnprintf(decision->reason, sizeof(decision->reason), format, args);
    va_end(args);
}

static void make_policies(struct planner *p, const struct policies *policies,
                          const struct policy_settings *settings)
{
    unsigned int i;

    p->policies = *policies;
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
