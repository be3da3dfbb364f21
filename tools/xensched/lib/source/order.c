/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts events of a recording whose times contradict their order. */
#include <stdlib.h>
#include <string.h>

#include <xensched/order.h>

/* Pairs of a back end and a client, by their accounting domains. */
#define MAX_PAIRS 1024U

struct moment {
    unsigned int nr; /* number of events of its kind */
    uint64_t time_ns, error_ns;
};

struct ring_pair {
    uint16_t back, front;
    bool asked; /* the front end has notified, and nothing was lost after that */
    struct moment response, notification; /* after that */
};

struct xensched_order {
    struct ring_pair pairs[MAX_PAIRS];
    size_t nr;
    struct xensched_order_counts counts;
};

struct xensched_order *xensched_order_new(void)
{
    return calloc(1, sizeof(struct xensched_order));
}

static struct ring_pair *find_pair(struct xensched_order *o, uint16_t back,
                                   uint16_t front)
{
    size_t i;

    for (i = 0; i < o->nr; i++)
        if (o->pairs[i].back == back && o->pairs[i].front == front)
            return &o->pairs[i];

    return NULL;
}

static struct ring_pair *add_pair(struct xensched_order *o, uint16_t back,
                                  uint16_t front)
{
    struct ring_pair *p = find_pair(o, back, front);

    if (p || o->nr == MAX_PAIRS)
        return p;
    p = &o->pairs[o->nr++];
    *p = (struct ring_pair){ .back = back, .front = front };

    return p;
}

static void set_moment(struct moment *moment, const struct xensched_merged *m)
{
    moment->nr++;
    moment->time_ns = m->time_ns;
    moment->error_ns = m->error_ns;
}

/* Judges what came between two notifications of the front end. */
static void judge_pair(struct xensched_order *o, const struct ring_pair *p)
{
    const struct moment *r = &p->response, *n = &p->notification;
    uint64_t late_ns;

    if (!p->asked || r->nr != 1 || n->nr != 1)
        return;
    o->counts.pairs++;
    if (r->time_ns <= n->time_ns)
        return;
    late_ns = r->time_ns - n->time_ns;
    if (late_ns <= r->error_ns + n->error_ns)
        return;
    o->counts.wrong++;
    if (late_ns > o->counts.worst_ns)
        o->counts.worst_ns = late_ns;
}

static void take_response(struct xensched_order *o,
                          const struct xensched_merged *m)
{
    struct ring_pair *p = add_pair(o, m->row.current, m->row.correspondent);

    if (p)
        set_moment(&p->response, m);
}

static void take_notification(struct xensched_order *o,
                              const struct xensched_merged *m)
{
    struct ring_pair *p = find_pair(o, m->row.current, m->row.correspondent);

    if (p)
        set_moment(&p->notification, m);
    p = find_pair(o, m->row.correspondent, m->row.current);
    if (!p)
        return;
    judge_pair(o, p);
    *p = (struct ring_pair){
        .back = p->back, .front = p->front, .asked = true,
    };
}

static void begin_anew(struct xensched_order *o)
{
    size_t i;

    for (i = 0; i < o->nr; i++)
        o->pairs[i].asked = false;
}

void xensched_order_take(struct xensched_order *o,
                         const struct xensched_merge *merge,
                         const struct xensched_merged *m)
{
    const unsigned int needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                                XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_TIME;
    const struct xensched_source_info *info;

    if (m->what == XENSCHED_MERGED_LOSS)
        begin_anew(o);
    if (m->what != XENSCHED_MERGED_ROW || m->error_ns == XENSCHED_NO_TIME ||
        (m->row.valid & needed) != needed)
        return;
    info = xensched_merge_source(merge, m->source);
    if (!info)
        return;
    if (info->kind == XENSCHED_KIND_DRIVER &&
        m->row.event == XEN_SCHEDLOG_EV_RING_PAGES)
        take_response(o, m);
    else if (info->kind == XENSCHED_KIND_HYPERVISOR &&
             m->row.event == XEN_SCHEDLOG_EV_EVTCHN_SEND)
        take_notification(o, m);
}

void xensched_order_counts(const struct xensched_order *o,
                           struct xensched_order_counts *counts)
{
    *counts = o->counts;
}

void xensched_order_free(struct xensched_order *o)
{
    free(o);
}
