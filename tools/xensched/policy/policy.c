/* SPDX-License-Identifier: GPL-2.0-only */
/* policy.c - the table of policies, and plans; see policy.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/memory.h"
#include "policy.h"

#define SECONDS 1000000000ULL

static const struct policy *const policies[] = {
    &policy_driver_affinity,
};

const struct policy_settings policy_defaults = {
    .share = 0.6,
    .min_rate = 50,
    .confirm = 2,
    .settle_ns = 5 * SECONDS,
    .stay_ns = 10 * SECONDS,
    .quiet_ns = 60 * SECONDS,
};

const struct policy *policy_find(const char *name)
{
    size_t i;

    if (!name)
        return policies[0];
    for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (!strcmp(policies[i]->name, name))
            return policies[i];

    return NULL;
}

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
