/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds entries by domid in a table of slots. */
#include <stdlib.h>
#include <string.h>

#include "domids.h"
#include "base/alloc.h"

static void make_room(struct domids *t, uint32_t nr)
{
    if (nr <= t->nr)
        return;
    /* Domids are consecutive, so the table doubles instead of growing by one slot at a time. */
    if (nr < 2 * t->nr)
        nr = 2 * t->nr;
    t->slot = need_more_memory(t->slot, nr, sizeof(*t->slot));
    memset(t->slot + t->nr, 0, (nr - t->nr) * sizeof(*t->slot));
    t->nr = nr;
}

void domids_put(struct domids *t, uint32_t domid, uint32_t index)
{
    make_room(t, domid + 1);
    t->slot[domid] = index + 1;
}

void domids_remove(struct domids *t, uint32_t domid)
{
    if (domid < t->nr)
        t->slot[domid] = 0;
}

uint32_t domids_find(const struct domids *t, uint32_t domid)
{
    return domid < t->nr ? t->slot[domid] - 1 : DOMIDS_NONE;
}

void domids_free(struct domids *t)
{
    free(t->slot);
    memset(t, 0, sizeof(*t));
}
