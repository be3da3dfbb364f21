/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocates and frees what the daemon keeps of a reaction. */
#include <stdlib.h>

#include "base/alloc.h"
#include "entry.h"

struct entry *entry_new(const struct react_wish *wish)
{
    struct entry *e = need_memory(1, sizeof(*e));

    e->wish = *wish;
    e->text = need_string(wish->condition);
    e->actions = wish->actions ? need_string(wish->actions) : NULL;
    e->wish.condition = e->wish.actions = NULL;

    return e;
}

void entry_free(struct entry *e)
{
    if (e->react)
        ev_child_stop(e->react->loop, &e->child);
    free(e->text);
    free(e->actions);
    free(e);
}
