/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells guests' modules which threads reactions wait for. */
#include <stdio.h>
#include <string.h>

#include <xensched/guest-watch.h>

#include "base/blocking-call.h"
#include "watches.h"

#define LINE_TEXT (sizeof("from-name ") + CONDITION_THREAD_TEXT)

static bool waits_for_thread(const struct reaction *r)
{
    return r->condition.kind == CONDITION_SWITCH_TO ||
           r->condition.kind == CONDITION_SWITCH_FROM;
}

static const struct reaction *in_slot(const struct reactions *list,
                                      const struct reaction *but, uint32_t slot)
{
    unsigned int i;

    for (i = 0; i < list->nr; i++)
        if (list->reaction[i] != but && waits_for_thread(list->reaction[i]) &&
            list->reaction[i]->slot == slot)
            return list->reaction[i];

    return NULL;
}

bool watches_free_slot(struct reactions *list, struct reaction *r)
{
    uint32_t slot = 0;

    while (slot < XENSCHED_CODE_SLOTS && in_slot(list, r, slot))
        slot++;
    if (r)
        r->slot = slot;

    return slot < XENSCHED_CODE_SLOTS;
}

static void add_line(char *text, const struct reaction *r)
{
    const struct condition *c = &r->condition;

    sprintf(text + strlen(text), "%s-%s %s",
            c->kind == CONDITION_SWITCH_TO ? "to" : "from",
            c->is_pid ? "pid" : "name", c->thread);
}

struct telling {
    uint32_t domid;
    const char *lines;
    struct xensched_error *err;
};

/* xenstored may not answer. */
static int write_watches(void *arg)
{
    const struct telling *t = arg;

    return xensched_guest_watch(t->domid, t->lines, t->err);
}

int watches_write(const struct reactions *list, uint32_t domid,
                  struct xensched_error *err)
{
    char text[XENSCHED_CODE_SLOTS * (LINE_TEXT + 1)] = "";
    struct telling telling = { domid, NULL, err };
    uint32_t slot;

    for (slot = 0; slot < XENSCHED_CODE_SLOTS; slot++) {
        const struct reaction *r = in_slot(list, NULL, slot);

        if (slot)
            strcat(text, "\n");
        if (!r || !r->known || r->domid != domid)
            continue;
        add_line(text, r);
        telling.lines = text;
    }

    return blocking_call(write_watches, &telling);
}
