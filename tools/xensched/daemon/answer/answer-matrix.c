/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers which domains communicate. */
#include <stdlib.h>

#include <xensched/event.h>

#include "base/alloc.h"
#include "answer.h"

struct entries {
    unsigned int nr, room;
    struct matrix_entry *entry;
};

static void collect(const struct matrix_entry *entry, void *arg)
{
    struct entries *e = arg;

    if (entry->correspondent == XEN_SCHEDLOG_ACCT_NONE)
        return;
    if (e->nr == e->room) {
        e->room = e->room ? 2 * e->room : 64;
        e->entry = need_more_memory(e->entry, e->room, sizeof(*e->entry));
    }
    e->entry[e->nr++] = *entry;
}

/* By event, then the busiest pair first; equal ones by their numbers. */
static int compare(const void *a, const void *b)
{
    const struct matrix_entry *x = a, *y = b;

    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->rate != y->rate)
        return x->rate > y->rate ? -1 : 1;
    if (x->current != y->current)
        return x->current < y->current ? -1 : 1;

    return x->correspondent < y->correspondent ? -1
                                               : x->correspondent >
                                                 y->correspondent;
}

static json_object *pair(const struct core *core,
                         const struct matrix_entry *entry)
{
    json_object *json = json_object_new_object();

    answer_add_acct(json, core, "from", "from_domid", "from_group", entry->current);
    answer_add_acct(json, core, "to", "to_domid", "to_group", entry->correspondent);
    json_add_real(json, "rate", entry->rate, 1);
    json_add_int(json, "total", entry->total);

    return json;
}

static json_object *pairs_by_event(const struct core *core,
                                   const struct entries *e)
{
    json_object *events = json_object_new_object(), *array = NULL;
    unsigned int i;

    for (i = 0; i < e->nr; i++) {
        if (!i || e->entry[i].event != e->entry[i - 1].event) {
            array = json_object_new_array();
            json_object_object_add(events,
                                   xensched_event_name(e->entry[i].event),
                                   array);
        }
        json_object_array_add(array, pair(core, &e->entry[i]));
    }

    return events;
}

json_object *answer_matrix(struct subject *s, struct xensched_error *err)
{
    json_object *json = json_object_new_object();
    struct entries e = { 0 };

    (void)err;
    matrix_visit(s->core->matrix, s->now_ns, collect, &e);
    if (e.nr)
        qsort(e.entry, e.nr, sizeof(*e.entry), compare);
    json_add_int(json, "half_life_ms",
                 s->core->settings.half_life_ns / 1000000);
    json_object_object_add(json, "events", pairs_by_event(s->core, &e));
    free(e.entry);

    return json;
}
