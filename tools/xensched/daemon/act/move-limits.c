/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the set of domains that an operator holds, and counts changes of affinities per minute.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "move-limits.h"

void held_free(struct held *held)
{
    free(held->uuid);
    held->uuid = NULL;
    held->nr = 0;
}

/* Returns held->nr if it is not held. */
static unsigned int find_uuid(const struct held *held, const char *uuid)
{
    unsigned int i;

    for (i = 0; i < held->nr; i++)
        if (!strcmp(held->uuid[i], uuid))
            break;

    return i;
}

bool held_has(const struct held *held, const char *uuid)
{
    return find_uuid(held, uuid) < held->nr;
}

void held_add(struct held *held, const char *uuid)
{
    if (held_has(held, uuid) || strlen(uuid) >= DOMAIN_UUID_TEXT)
        return;
    held->uuid = need_more_memory(held->uuid, held->nr + 1,
                                  sizeof(*held->uuid));
    strcpy(held->uuid[held->nr++], uuid);
}

void held_remove(struct held *held, const char *uuid)
{
    unsigned int i = find_uuid(held, uuid);

    if (i == held->nr)
        return;
    held->nr--;
    memmove(held->uuid[i], held->uuid[held->nr], sizeof(*held->uuid));
}

bool held_is(const struct held *held, const struct domain *d)
{
    return d->stays || held_has(held, d->uuid);
}

void held_apply(const struct held *held, const struct domains *domains,
                struct plan *plan)
{
    unsigned int i;

    for (i = 0; i < plan->nr; i++) {
        const struct domain *d = &domains->domain[i];

        if (!held_is(held, d))
            continue;
        cpumap_free(&plan->decisions[i].soft);
        plan->decisions[i].pull = PULL_NOTHING;
        plan->decisions[i].policy = NULL;
        decide_held(&plan->decisions[i], d);
    }
}

/* Pace. */

bool pace_allows(const struct pace *pace, unsigned int bound, uint64_t now_ns)
{
    if (!bound || pace->nr < bound)
        return true;

    return now_ns - pace->at_ns[(pace->nr - bound) % PACE_MAX] >=
           PACE_MINUTE_NS;
}

void pace_note(struct pace *pace, uint64_t now_ns)
{
    pace->at_ns[pace->nr++ % PACE_MAX] = now_ns;
}
