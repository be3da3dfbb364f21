/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocates, copies and frees plans. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "plan.h"

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

void decide(struct decision *decision, enum verb verb, struct reason reason)
{
    decision->verb = verb;
    decision->reason = reason;
}

void decide_held(struct decision *decision, const struct domain *d)
{
    decide(decision, d->affinity == AFFINITY_OURS ? KEEP : LEAVE,
           (struct reason){ .code = d->stays ? REASON_CONFIGURED : REASON_HELD });
}
