/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps capacity for guests that are being created. */
#include <string.h>

#include "base/alloc.h"
#include "policy/whereabouts.h"
#include "promise.h"

static void drop(struct promises *p, unsigned int i)
{
    p->nr--;
    memmove(&p->promise[i], &p->promise[i + 1],
            (p->nr - i) * sizeof(p->promise[0]));
}

static void drop_uuid(struct promises *p, const char *uuid)
{
    unsigned int i = 0;

    while (i < p->nr)
        if (strcmp(p->promise[i].uuid, uuid))
            i++;
        else
            drop(p, i);
}

void promise_make(struct promises *p, const struct promise *promise)
{
    drop_uuid(p, promise->uuid);
    if (p->nr == PROMISES_MAX)
        drop(p, 0);
    p->promise[p->nr++] = *promise;
}

/* While it is built its affinity has not been set yet. */
static bool is_kept(const struct promise *promise, const struct topology *t,
                    const struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        if (!strcmp(domains->domain[i].uuid, promise->uuid) &&
            whereabouts_asked(t, &domains->domain[i]).place !=
            TOPOLOGY_UNKNOWN)
            return true;

    return false;
}

void promises_forget(struct promises *p, const struct topology *t,
                     const struct domains *domains, uint64_t now_ns)
{
    unsigned int i = 0;

    while (i < p->nr)
        if (now_ns - p->promise[i].at_ns < PROMISE_NS &&
            !is_kept(&p->promise[i], t, domains))
            i++;
        else
            drop(p, i);
}

struct demand *promises_taken(const struct promises *p, const struct topology *t,
                              const struct domain *d)
{
    struct demand *taken = need_memory(t->nr_places, sizeof(*taken));
    unsigned int i;

    /* pCPUs may have gone, and a place with them. */
    for (i = 0; i < p->nr; i++)
        if (p->promise[i].place < t->nr_places &&
            p->promise[i].pool == d->pool &&
            strcmp(p->promise[i].uuid, d->uuid))
            demand_add(&taken[p->promise[i].place], p->promise[i].demand);

    return taken;
}
