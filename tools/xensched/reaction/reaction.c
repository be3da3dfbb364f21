/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the rows and figures that meet conditions, and limits how often they count. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "reaction.h"
#include "uapi/xensched_mark.h"

#define BLOCK_ROWS 64

bool reaction_leaves_files(const char *action)
{
    action += strspn(action, " ");

    return (!strncmp(action, "snapshot ", strlen("snapshot ")) ||
            !strncmp(action, "checkpoint ", strlen("checkpoint "))) &&
           memmem(action, strcspn(action, ";"), "%n", strlen("%n"));
}

void reactions_init(struct reactions *list,
                    bool (*met)(void *arg, struct reaction *r), void *arg)
{
    *list = (struct reactions){ .next_id = 1, .met = met, .arg = arg };
}

void reactions_free(struct reactions *list)
{
    while (list->nr)
        free(list->reaction[--list->nr]);
    free(list->reaction);
    pending_free(&list->pending);
    list->reaction = NULL;
    list->events = 0;
}

static void find_events(struct reactions *list)
{
    unsigned int i;

    list->events = 0;
    for (i = 0; i < list->nr; i++)
        list->events |= condition_events(&list->reaction[i]->condition);
}

struct reaction *reactions_add(struct reactions *list,
                               const struct condition *condition,
                               const struct reaction_limits *limits,
                               void *owner)
{
    struct reaction *r = need_memory(1, sizeof(*r));

    r->id = list->next_id++;
    r->condition = *condition;
    r->limits = *limits;
    r->owner = owner;
    r->former = -1;
    r->row_shift = -1;
    list->reaction = need_more_memory(list->reaction, list->nr + 1,
                                      sizeof(*list->reaction));
    list->reaction[list->nr++] = r;
    find_events(list);

    return r;
}

void reactions_remove(struct reactions *list, struct reaction *r)
{
    unsigned int i = 0;

    while (i < list->nr && list->reaction[i] != r)
        i++;
    if (i == list->nr)
        return;
    free(r);
    memmove(&list->reaction[i], &list->reaction[i + 1],
            (--list->nr - i) * sizeof(*list->reaction));
    find_events(list);
}

bool reaction_is_over(const struct reaction *r)
{
    return r->limits.times && r->fired >= r->limits.times;
}

static void meet_condition(struct reactions *list, struct reaction *r, double value,
                           uint64_t now_ns)
{
    if (r->busy || reaction_is_over(r) ||
        (r->fired && now_ns - r->last_ns < r->limits.gap_ns)) {
        r->held_back++;
        return;
    }
    r->fired++;
    r->value = value;
    if (list->met(list->arg, r)) {
        r->last_ns = now_ns;
    } else {
        r->fired--;
        r->held_back++;
    }
}

bool reaction_code(const struct reaction *r, uint32_t *code, uint32_t *mask)
{
    switch (r->condition.kind) {
    case CONDITION_MARK:
        *code = r->condition.limit;
        *mask = UINT32_MAX;
        return true;
    case CONDITION_SWITCH_TO:
    case CONDITION_SWITCH_FROM:
        *code = XENSCHED_TYPED |
                XENSCHED_CODE_SWITCH << XENSCHED_CODE_WHAT_SHIFT |
                r->slot << XENSCHED_CODE_SLOT_SHIFT;
        *mask = ~(uint32_t)XENSCHED_CODE_PID_MASK;
        return true;
    default:
        return false;
    }
}

static bool is_met_by_mark(const struct reaction *r,
                           const struct xensched_row *row, double *value)
{
    uint32_t code, mask;

    if (row->event != XEN_SCHEDLOG_EV_MARK || !reaction_code(r, &code, &mask) ||
        row->counter > UINT32_MAX || (((uint32_t)row->counter ^ code) & mask))
        return false;
    *value = mask == UINT32_MAX ? code
                                : row->counter & XENSCHED_CODE_PID_MASK;

    return true;
}

/* Sets *value to the figure that met the condition. */
static bool is_met(const struct reaction *r, const struct xensched_row *row,
                   double *value)
{
    const struct condition *c = &r->condition;

    if (c->domain[0] && (!r->known || row->current != r->acct))
        return false;
    if (c->kind != CONDITION_ROW)
        return is_met_by_mark(r, row, value);
    *value = c->event == XEN_SCHEDLOG_EV_RUNQ
             ? row->counter & XEN_SCHEDLOG_RUNQ_LENGTH_MASK : row->counter;

    return row->event == c->event && *value > c->limit;
}

/* Returns whether the reaction is about requests between these two. */
static bool is_between(const struct reaction *r, uint16_t front, uint16_t back)
{
    return r->condition.kind == CONDITION_REQUEST && r->known && r->acct == front &&
           (!r->condition.other[0] || r->other == back);
}

static void take_notification(struct reactions *list, const struct xensched_row *row,
                              int shift)
{
    const uint16_t needed = XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_TIME;
    uint16_t from = row->current, to = row->correspondent;
    unsigned int i = 0;

    if (row->event != XEN_SCHEDLOG_EV_EVTCHN_SEND || (row->valid & needed) != needed ||
        shift < 0)
        return;
    while (i < list->nr && !is_between(list->reaction[i], from, to) &&
           !is_between(list->reaction[i], to, from))
        i++;
    if (i == list->nr)
        return;
    if (list->pending_shift != shift)
        pending_forget(&list->pending);
    list->pending_shift = shift;
    pending_add(&list->pending, &(struct pending_row){ row->time, from, to });
}

struct settling {
    struct reactions *list;
    uint64_t now_ns;
};

static void take_answer(void *arg, const struct pending_request *request, uint32_t time,
                        uint32_t took)
{
    const struct settling *s = arg;
    struct reactions *list = s->list;
    double ns = 1e6 * ((uint64_t)took << list->pending_shift) / list->khz;
    unsigned int i;

    for (i = 0; i < list->nr; i++) {
        struct reaction *r = list->reaction[i];

        if (!is_between(r, request->front, request->back) || ns <= r->condition.limit)
            continue;
        r->row_time = time;
        r->row_shift = list->pending_shift;
        meet_condition(list, r, ns, s->now_ns);
    }
}

void reactions_settle(struct reactions *list, uint64_t now_ns)
{
    struct settling s = { list, now_ns };

    if (list->khz)
        pending_settle(&list->pending, take_answer, &s);
    else
        pending_forget(&list->pending);
}

static void take_row(struct reactions *list, const struct xensched_row *row,
                     int shift, uint64_t now_ns)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;
    unsigned int i;
    double value;

    if ((row->valid & needed) != needed)
        return;
    take_notification(list, row, shift);
    for (i = 0; i < list->nr; i++) {
        struct reaction *r = list->reaction[i];

        if (!is_met(r, row, &value))
            continue;
        r->row_time = row->time;
        r->row_shift = shift;
        meet_condition(list, r, value, now_ns);
    }
}

void reactions_take(struct reactions *list, const struct xensched_batch *batch,
                    uint32_t events, uint64_t now_ns)
{
    int shift = xensched_layout_tsc_shift(&batch->layout);
    struct xensched_row rows[BLOCK_ROWS];
    size_t i, nr, first = 0;

    if (!(events & list->events))
        return;
    if (events & 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND && (batch->lost_rows || batch->lost_bytes))
        pending_forget(&list->pending);
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (i = 0; i < nr; i++)
            take_row(list, &rows[i], shift, now_ns);
        first += nr;
    }
}

void reaction_compare(struct reactions *list, struct reaction *r, double value,
                      uint64_t now_ns)
{
    switch (r->condition.kind) {
    case CONDITION_READY:
    case CONDITION_WAIT:
    case CONDITION_SERVICE:
    case CONDITION_RATE:
        if (!r->known || value <= r->condition.limit)
            r->above_ns = 0;
        else if (!r->above_ns)
            r->above_ns = now_ns;
        if (r->above_ns && now_ns - r->above_ns >= r->condition.for_ns)
            meet_condition(list, r, value, now_ns);
        break;
    case CONDITION_LOSS:
    case CONDITION_REGRET:
        if (r->former >= 0 && value > r->former)
            meet_condition(list, r, value - r->former, now_ns);
        r->former = value;
        break;
    default:
        break;
    }
}
