/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up what a guest did in an interval. */
#include <stdio.h>
#include <stdlib.h>

#include <xensched/event.h>

#include "interval.h"
#include "base/json.h"
#include "base/alloc.h"

#define BLOCK_ROWS 64

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

/* Their correspondent is the domain that ran next, which says nothing of the guest. */
#define ALONE (EVENT(SERVICE_NS) | EVENT(SERVICE_TSC) | EVENT(PMC0) | \
               EVENT(PMC1) | EVENT(PMC2) | EVENT(PMC3))

void interval_begin(struct interval *i, uint16_t acct)
{
    i->acct = acct;
    i->nr = 0;
    i->rows = i->lost_rows = 0;
}

void interval_free(struct interval *i)
{
    free(i->cell);
    i->cell = NULL;
}

static struct cell *find(struct interval *i, uint16_t event, uint16_t other,
                         bool outward)
{
    unsigned int at = 0;

    for (; at < i->nr; at++)
        if (i->cell[at].event == event && i->cell[at].other == other &&
            i->cell[at].outward == outward)
            return &i->cell[at];
    i->cell = need_more_memory(i->cell, i->nr + 1, sizeof(*i->cell));
    i->cell[i->nr] = (struct cell){
        .event = event, .other = other, .outward = outward,
    };

    return &i->cell[i->nr++];
}

static void add(struct interval *i, const struct xensched_row *row)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;
    uint16_t other = row->valid & XENSCHED_ROW_CORRESPONDENT
                     ? row->correspondent : XEN_SCHEDLOG_ACCT_NONE;
    bool alone = row->event < XEN_SCHEDLOG_NR_EVENTS &&
                 ALONE & 1U << row->event;
    struct cell *cell;

    if ((row->valid & needed) != needed)
        return;
    if (row->current == i->acct)
        cell = find(i, row->event, alone ? XEN_SCHEDLOG_ACCT_NONE : other, true);
    else if (other == i->acct && !alone)
        cell = find(i, row->event, row->current, false);
    else
        return;
    i->rows += cell->outward;
    cell->rows++;
    cell->sum += row->counter;
}

void interval_add(struct interval *i, const struct xensched_batch *batch)
{
    struct xensched_row rows[BLOCK_ROWS];
    size_t at, nr, first = 0;

    i->lost_rows += batch->lost_rows;
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (at = 0; at < nr; at++)
            add(i, &rows[at]);
        first += nr;
    }
}

static void add_cell(json_object *json, const struct cell *c,
                     const struct acct_names *names)
{
    const char *event = xensched_event_name(c->event);
    json_object *value = json_object_new_object();
    char key[160];

    snprintf(key, sizeof(key), "%s%s%s", event ? event : "?",
             c->other == XEN_SCHEDLOG_ACCT_NONE ? "" : c->outward ? ">" : "<",
             c->other == XEN_SCHEDLOG_ACCT_NONE ? ""
                                                : acct_names_of(names, c->other));
    json_add_int(value, "rows", c->rows);
    json_add_int(value, "sum", c->sum);
    json_object_object_add(json, key, value);
}

json_object *interval_json(const struct interval *i,
                           const struct acct_names *names)
{
    json_object *json = json_object_new_object();
    unsigned int at;

    for (at = 0; at < i->nr; at++)
        add_cell(json, &i->cell[at], names);

    return json;
}
