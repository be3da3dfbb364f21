/* SPDX-License-Identifier: LGPL-2.1-only */
/* Holds rows until no earlier one can come, and sorts them. */
#include <errno.h>
#include <stdlib.h>

#include "merge-queue.h"

/* Sorting key of waiting rows. */
struct merge_key {
    uint64_t time_ns;
    uint64_t number;
};

static int make_room(struct merge_queue *q, struct xensched_error *err)
{
    size_t room = q->room ? 2 * q->room : MERGE_QUEUE_MIN;
    void *waiting, *sorted, *keys;

    if (q->nr + 1 < q->room)
        return 0;
    waiting = realloc(q->waiting, room * sizeof(*q->waiting));
    if (waiting)
        q->waiting = waiting;
    sorted = realloc(q->sorted, room * sizeof(*q->sorted));
    if (sorted)
        q->sorted = sorted;
    keys = realloc(q->keys, room * sizeof(*q->keys));
    if (keys)
        q->keys = keys;
    if (!waiting || !sorted || !keys)
        return xensched_fail(err, ENOMEM, "out of memory");
    q->room = room;

    return 0;
}

int merge_queue_add(struct merge_queue *q, const struct xensched_merged *item,
                    struct xensched_error *err)
{
    int rc = make_room(q, err);

    if (rc)
        return rc;
    q->waiting[q->nr++] = *item;
    if (item->time_ns > q->newest_ns && item->error_ns != XENSCHED_NO_TIME)
        q->newest_ns = item->time_ns;

    return 0;
}

static int compare_items(const void *a, const void *b)
{
    const struct merge_key *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;

    return x->number < y->number ? -1 : 1;
}

void merge_queue_sort(struct merge_queue *q, uint64_t limit_ns)
{
    struct xensched_merged *swap;
    size_t i;

    if (!q->nr)
        return;
    for (i = 0; i < q->nr; i++)
        q->keys[i] = (struct merge_key){ q->waiting[i].time_ns, i };
    qsort(q->keys, q->nr, sizeof(*q->keys), compare_items);
    for (i = 0; i < q->nr; i++)
        q->sorted[i] = q->waiting[q->keys[i].number];
    q->at = 0;
    for (q->ready = 0; q->ready < q->nr; q->ready++)
        if (q->sorted[q->ready].time_ns >= limit_ns && limit_ns < UINT64_MAX)
            break;
    /* Later rows continue to wait. */
    swap = q->waiting;
    for (i = q->ready; i < q->nr; i++)
        swap[i - q->ready] = q->sorted[i];
    q->nr -= q->ready;
}

void merge_queue_sort_half(struct merge_queue *q)
{
    uint64_t middle_ns;
    size_t i;

    for (i = 0; i < q->nr; i++)
        q->keys[i] = (struct merge_key){ q->waiting[i].time_ns, i };
    qsort(q->keys, q->nr, sizeof(*q->keys), compare_items);
    middle_ns = q->keys[q->nr / 2].time_ns;
    merge_queue_sort(q, middle_ns < UINT64_MAX ? middle_ns + 1 : middle_ns);
}

void merge_queue_free(struct merge_queue *q)
{
    size_t i;

    for (i = q->at; i < q->ready; i++)
        free((char *)q->sorted[i].text);
    for (i = 0; i < q->nr; i++)
        free((char *)q->waiting[i].text);
    free(q->waiting);
    free(q->sorted);
    free(q->keys);
}
