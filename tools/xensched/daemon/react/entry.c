/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocates and frees what the daemon keeps of a reaction. */
#include <stdlib.h>

#include "base/alloc.h"
#include "entry.h"

struct entry *entry_new(const struct react_settings *wanted)
{
    struct entry *e = need_memory(1, sizeof(*e));

    e->wanted = *wanted;
    e->text = need_string(wanted->condition);
    e->actions = wanted->actions ? need_string(wanted->actions) : NULL;
    e->wanted.condition = e->wanted.actions = NULL;

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
