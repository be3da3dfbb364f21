/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes arrows and instants of a page. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "timeline/rows/row-order.h"
#include "page-parts.h"

/* An arrow from lane to lane, by their numbers + 1; 0: from no shown lane. */

struct arrow {
    uint64_t sent, woken, ran;
    uint32_t from, to;
};

struct arrows {
    struct arrow *arrow;
    size_t nr, room;
};

static void add_arrow(struct arrows *all, struct arrow arrow)
{
    if (!arrow.to)
        return;
    if (arrow.woken < arrow.sent)
        arrow.woken = arrow.sent;
    if (arrow.ran < arrow.woken)
        arrow.ran = arrow.woken;
    *list_add(all->arrow, all->nr, all->room) = arrow;
}

/* Adds arrows from a notification through the wake-up to the run. */
static void add_wakes(const struct page *p, struct arrows *all)
{
    const struct wakes *wakes = &p->t->wakes;
    size_t i;

    for (i = 0; i < wakes->nr; i++) {
        const struct wake *w = &wakes->wake[i];

        if (w->kind == WAKE_WOKEN && w->ran != STAY_NEVER)
            add_arrow(all, (struct arrow){
                .sent = w->sent, .woken = w->woken, .ran = w->ran,
                .from = w->from == STAY_NONE ? 0 : p->vcpu_lane[w->from],
                .to = p->vcpu_lane[w->to],
            });
    }
}

static void add_thread_wakes(const struct page *p, struct arrows *all)
{
    const struct threads *threads = &p->t->threads;
    size_t i;

    for (i = 0; i < threads->nr_wakes; i++) {
        const struct thread_wake *w = &threads->wake[i];

        if (w->ran != STAY_NEVER)
            add_arrow(all, (struct arrow){
                .sent = w->ns, .woken = w->ns, .ran = w->ran,
                .from = w->from == THREAD_NONE ? 0 : p->thread_lane[w->from],
                .to = p->thread_lane[w->to],
            });
    }
}

/* Adds arrows from the requesting vCPU to the ring, and back at the response. */
static void add_requests(const struct page *p, struct arrows *all)
{
    size_t i, j;

    for (i = 0; i < p->t->rings.nr; i++)
        for (j = 0; j < p->t->rings.ring[i].nr; j++) {
            const struct ring_request *r = &p->t->rings.ring[i].request[j];

            if (r->notified && r->from != STAY_NONE)
                add_arrow(all, (struct arrow){
                    .sent = r->begin, .woken = r->begin, .ran = r->end,
                    .from = p->vcpu_lane[r->from], .to = p->ring_lane[i],
                });
        }
}

static bool is_sent_later(const void *a, const void *b)
{
    return ((const struct arrow *)a)->sent > ((const struct arrow *)b)->sent;
}

void page_add_arrows(struct page *p)
{
    json_object *json = json_object_new_object();
    struct arrows all = { 0 };
    uint64_t last = 0;
    size_t i;

    add_wakes(p, &all);
    add_thread_wakes(p, &all);
    add_requests(p, &all);
    order_sort(all.arrow, all.nr, sizeof(*all.arrow), is_sent_later);
    json_add_int(json, "offset", p->data.nr);
    json_add_int(json, "n", all.nr);
    for (i = 0; i < all.nr; i++) {
        const struct arrow *a = &all.arrow[i];

        page_number(p, a->sent - last);
        page_number(p, a->from);
        page_number(p, a->to);
        page_number(p, a->woken - a->sent);
        page_number(p, a->ran - a->woken);
        last = a->sent;
    }
    json_object_object_add(p->meta, "arrows", json);
    free(all.arrow);
}

/* Instants. */

struct instant {
    uint64_t ns, value;
    uint32_t lane; /* its number */
    uint32_t kind; /* an event, or enum page_instant */
};

struct instants {
    struct instant *instant;
    size_t nr, room;
    json_object *texts;
};

static void add_instant(struct instants *all, uint64_t ns, uint32_t lane,
                        uint32_t kind, uint64_t value)
{
    *list_add(all->instant, all->nr, all->room) =
        (struct instant){ .ns = ns, .value = value, .lane = lane, .kind = kind };
}

static void add_text(struct instants *all, uint64_t ns, uint32_t lane,
                     enum page_instant kind, const char *text)
{
    add_instant(all, ns, lane, kind, json_object_array_length(all->texts));
    json_object_array_add(all->texts, json_object_new_string(text));
}

/* Returns the lane of a vCPU; for an unknown vCPU, the first of the domain.  -1: no lane. */
static int64_t lane_of(const struct page *p, int acct, uint32_t vcpu)
{
    const unsigned int *first = &p->t->vcpus.first[acct < 0 ? 0 : acct];

    if (acct < 0 || (vcpu == STAY_NONE && first[0] == first[1]))
        return -1;

    return p->vcpu_lane[vcpu == STAY_NONE ? *first : vcpu] - 1;
}

static void add_marks(const struct page *p, struct instants *all)
{
    const struct marks *marks = &p->t->marks;
    size_t i;

    for (i = 0; i < marks->nr; i++) {
        const struct mark *mark = &marks->mark[i];
        int64_t lane = lane_of(p, mark->acct, mark->lane);

        if (lane >= 0 && mark->kind == MARK_CODE)
            add_instant(all, mark->ns, lane, XEN_SCHEDLOG_EV_MARK,
                        mark->value);
        else if (lane >= 0 && mark->kind == MARK_LABEL)
            add_text(all, mark->ns, lane, INSTANT_LABEL,
                     marks_name(marks, mark));
    }
}

static void add_migrations(const struct page *p, struct instants *all)
{
    const struct rows *rows = &p->t->rows;
    size_t i;

    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];
        int64_t lane;

        if (row->event != XEN_SCHEDLOG_EV_MIGRATE ||
            row->current == XEN_SCHEDLOG_ACCT_NONE)
            continue;
        lane = lane_of(p, row->current, STAY_NONE);
        if (lane >= 0)
            add_instant(all, row->ns, lane, row->event, row->counter);
    }
}

static void add_decisions(const struct page *p, struct instants *all)
{
    const struct notes *notes = &p->t->rows.notes;
    size_t i;

    for (i = 0; i < notes->nr; i++) {
        const struct note *note = &notes->note[i];
        int64_t lane = lane_of(p, note->acct, STAY_NONE);

        if (lane >= 0)
            add_text(all, note->ns, lane, INSTANT_DECISION, note->text);
    }
}

static void add_foreign(const struct page *p, struct instants *all)
{
    const struct foreign *foreign = &p->t->foreign;
    size_t i;

    for (i = 0; i < foreign->nr; i++)
        add_text(all, foreign->event[i].ns,
                 p->first_foreign + foreign->event[i].lane, INSTANT_FOREIGN,
                 foreign->event[i].text);
}

static bool is_later(const void *a, const void *b)
{
    return ((const struct instant *)a)->ns > ((const struct instant *)b)->ns;
}

void page_add_instants(struct page *p)
{
    json_object *json = json_object_new_object();
    struct instants all = { .texts = json_object_new_array() };
    uint64_t last = 0;
    size_t i;

    add_marks(p, &all);
    add_migrations(p, &all);
    add_decisions(p, &all);
    add_foreign(p, &all);
    order_sort(all.instant, all.nr, sizeof(*all.instant), is_later);
    json_add_int(json, "offset", p->data.nr);
    json_add_int(json, "n", all.nr);
    for (i = 0; i < all.nr; i++) {
        const struct instant *instant = &all.instant[i];

        page_number(p, instant->ns - last);
        page_number(p, instant->lane);
        page_number(p, instant->kind);
        page_number(p, instant->value);
        last = instant->ns;
    }
    json_object_object_add(p->meta, "instants", json);
    json_object_object_add(p->meta, "texts", all.texts);
    free(all.instant);
}
