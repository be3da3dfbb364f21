/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures requests from the guest's notification to the back end's. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pending.h"

/* A domain that notifies more between two rounds has no single requests. */
#define MAX_ROWS (1U << 20)

void pending_free(struct pending *p)
{
    free(p->row);
    free(p->request);
    memset(p, 0, sizeof(*p));
}

void pending_forget(struct pending *p)
{
    p->nr_rows = p->nr_requests = 0;
    p->has_until = false;
}

void pending_add(struct pending *p, const struct pending_row *row)
{
    if (p->nr_rows == MAX_ROWS)
        pending_forget(p);
    if (p->nr_rows == p->row_room) {
        p->row_room = p->row_room ? 2 * p->row_room : 64;
        p->row = need_more_memory(p->row, p->row_room, sizeof(*p->row));
    }
    p->row[p->nr_rows++] = *row;
}

static bool is_later(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

static int compare_requests(const void *a, const void *b)
{
    const struct pending_row *x = a, *y = b;

    return is_later(x->time, y->time) - is_later(y->time, x->time);
}

/* Both ends may ask, as each may be the other's back end. */
static struct pending_request *find_request(const struct pending *p, uint16_t front, uint16_t back)
{
    size_t i;

    for (i = 0; i < p->nr_requests; i++)
        if (p->request[i].front == front && p->request[i].back == back)
            return &p->request[i];

    return NULL;
}

static void begin_request(struct pending *p, const struct pending_row *row)
{
    if (find_request(p, row->from, row->to))
        return;
    if (p->nr_requests == p->request_room) {
        p->request_room = p->request_room ? 2 * p->request_room : 8;
        p->request = need_more_memory(p->request, p->request_room, sizeof(*p->request));
    }
    p->request[p->nr_requests++] = (struct pending_request){
        .front = row->from, .back = row->to, .since = row->time,
    };
}

void pending_settle(struct pending *p,
                    void (*answered)(void *arg, const struct pending_request *request,
                                     uint32_t time, uint32_t took),
                    void *arg)
{
    size_t i = 0;

    if (!p->nr_rows)
        return;
    qsort(p->row, p->nr_rows, sizeof(*p->row), compare_requests);
    for (; i < p->nr_rows && p->has_until && !is_later(p->row[i].time, p->until); i++) {
        const struct pending_row *row = &p->row[i];
        struct pending_request *request = find_request(p, row->to, row->from), done;

        if (request) {
            done = *request;
            *request = p->request[--p->nr_requests];
            answered(arg, &done, row->time, row->time - done.since);
        }
        begin_request(p, row);
    }
    p->nr_rows -= i;
    memmove(p->row, p->row + i, p->nr_rows * sizeof(*p->row));
    p->has_until = p->nr_rows;
    if (p->nr_rows)
        p->until = p->row[p->nr_rows - 1].time;
}
