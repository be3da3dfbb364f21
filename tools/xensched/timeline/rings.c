/* SPDX-License-Identifier: GPL-2.0-only */
/* Matches responses on rings with the notifications that announced the requests. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rings.h"
#include "timeline/rows/cuts.h"
#include "timeline/threads/thread-home.h"

/* The most rings; a host has one or two per guest. */
#define MAX_RINGS 1024U

const char *const ring_operation_name[RING_OPERATIONS] = {
    "read", "write", "barrier", "flush", "operation 4", "discard", "indirect",
    "operation 7", "request",
};

/* The state of a ring. */
struct under_way {
    uint64_t notified; /* the first notification since the last response; NEVER: none */
    uint64_t last;     /* the last response; NEVER: none */
    uint32_t from;
};

struct rings_making {
    struct rings *rings;
    const struct rows *rows;
    struct under_way *under_way; /* by ring */
    size_t under_way_room;
    struct windows lost; /* times in which notifications may be missing */
    int *back;         /* [source]: its accounting domain, or -1 */
};

static struct ring *find_ring(const struct rings *rings, uint16_t back,
                              uint16_t front)
{
    size_t i;

    for (i = 0; i < rings->nr; i++)
        if (rings->ring[i].back == back && rings->ring[i].front == front)
            return &rings->ring[i];

    return NULL;
}

static struct ring *add_ring(struct rings_making *m, uint16_t back, uint16_t front)
{
    size_t nr = m->rings->nr;
    struct ring *ring;

    if (nr == MAX_RINGS)
        return NULL;
    ring = list_add(m->rings->ring, m->rings->nr, m->rings->room);
    *ring = (struct ring){ .back = back, .front = front };
    *list_add(m->under_way, nr, m->under_way_room) =
        (struct under_way){ STAY_NEVER, STAY_NEVER, STAY_NONE };

    return ring;
}

static void find_lost(struct rings_making *m)
{
    const uint32_t events = 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND |
                            1U << XEN_SCHEDLOG_EV_EVTCHN_RECV;
    size_t i;

    for (i = 0; i < m->rows->nr_losses; i++)
        if (m->rows->loss[i].events & events)
            windows_add(&m->lost, m->rows->loss[i].begin_ns,
                        m->rows->loss[i].end_ns);
}

static void take_wake(struct rings_making *m, const struct wake *wake)
{
    struct ring *ring = find_ring(m->rings, wake->receiver, wake->sender);
    struct under_way *u = ring ? &m->under_way[ring - m->rings->ring] : NULL;

    if (!ring || u->notified != STAY_NEVER)
        return;
    u->notified = wake->sent;
    u->from = wake->from;
}

static void take_response(struct rings_making *m, struct ring *ring,
                          const struct linux_row *row)
{
    struct under_way *u = &m->under_way[ring - m->rings->ring];
    struct ring_request *r = list_add(ring->request, ring->nr, ring->room);
    bool waits = u->last != STAY_NEVER && u->last <= row->ns;

    *r = (struct ring_request){
        .begin = row->ns, .end = row->ns, .size = row->counter,
        .from = STAY_NONE, .operation = RING_UNKNOWN,
    };
    if (m->rings->sectors) {
        r->operation = row->counter % RING_UNKNOWN;
        r->size = row->counter / RING_UNKNOWN;
    }
    if (u->notified <= row->ns && u->notified != STAY_NEVER) {
        r->begin = u->notified;
        r->from = u->from;
        r->notified = true;
    } else if (waits && !windows_overlap(&m->lost, u->last, row->ns)) {
        r->begin = u->last;
    }
    u->notified = STAY_NEVER;
    u->last = row->ns;
}

/* Finds all rings first, so that a notification before the first response counts. */
static void find_rings(struct rings_making *m, uint16_t event)
{
    const struct linux_rows *rows = &m->rows->linux_rows;
    size_t i;

    for (i = 0; i < rows->nr; i++) {
        const struct linux_row *row = &rows->row[i];
        int back = m->back[row->source];

        if (row->event != event || back < 0 || row->other == back ||
            row->other == XEN_SCHEDLOG_ACCT_NONE)
            continue;
        if (!find_ring(m->rings, back, row->other) && !add_ring(m, back, row->other))
            m->rings->left_out++;
    }
}

static void find_requests(struct rings_making *m, const struct wakes *wakes,
                          uint16_t event)
{
    const struct linux_rows *rows = &m->rows->linux_rows;
    size_t i, next = 0;

    for (i = 0; i < rows->nr; i++) {
        const struct linux_row *row = &rows->row[i];
        struct ring *ring;

        if (row->event != event || m->back[row->source] < 0)
            continue;
        for (; next < wakes->nr && wakes->wake[next].sent <= row->ns; next++)
            take_wake(m, &wakes->wake[next]);
        ring = find_ring(m->rings, m->back[row->source], row->other);
        if (ring)
            take_response(m, ring, row);
    }
}

static bool has_event(const struct linux_rows *rows, uint16_t event)
{
    size_t i;

    for (i = 0; i < rows->nr; i++)
        if (rows->row[i].event == event)
            return true;

    return false;
}

void rings_make(struct rings *rings, const struct rows *rows,
                const struct wakes *wakes)
{
    const struct linux_rows *linux_rows = &rows->linux_rows;
    struct rings_making m = {
        .rings = rings,
        .rows = rows,
        .back = need_memory(linux_rows->nr_sources + 1, sizeof(*m.back)),
    };
    uint16_t event = XEN_SCHEDLOG_EV_RING_PAGES;
    size_t i;

    memset(rings, 0, sizeof(*rings));
    rings->sectors = has_event(linux_rows, XEN_SCHEDLOG_EV_RING_SECTORS);
    if (rings->sectors)
        event = XEN_SCHEDLOG_EV_RING_SECTORS;
    for (i = 0; i < linux_rows->nr_sources; i++)
        m.back[i] = thread_homes_acct(&rows->names, &linux_rows->source[i]);
    find_lost(&m);
    find_rings(&m, event);
    find_requests(&m, wakes, event);
    windows_free(&m.lost);
    free(m.under_way);
    free(m.back);
}

void rings_free(struct rings *rings)
{
    size_t i;

    for (i = 0; i < rings->nr; i++)
        free(rings->ring[i].request);
    free(rings->ring);
    memset(rings, 0, sizeof(*rings));
}
