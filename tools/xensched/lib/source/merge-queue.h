/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * merge-queue.h - holds what a merge has read until no earlier row can come.
 *
 * Rows come in any order.  When a limit is known, all are sorted: those before the limit are ready
 * to take, and the others continue to wait.
 */
#ifndef XENSCHED_LIB_MERGE_QUEUE_H
#define XENSCHED_LIB_MERGE_QUEUE_H

#include <stddef.h>

#include <xensched/merge.h>

/* The maximum number of waiting rows. */
#define MERGE_QUEUE_MAX (1U << 20)
/* Sorting fewer rows costs more than it saves. */
#define MERGE_QUEUE_MIN 4096U

struct merge_queue {
    struct xensched_merged *waiting, *sorted;
    struct merge_key *keys;
    size_t nr, room;     /* of the waiting rows */
    size_t at, ready;    /* of the sorted rows: the next one, and the end of the ready ones */
    uint64_t newest_ns;
};

/* Returns 0 or -ENOMEM.  The queue owns @item->text until the row is taken. */
int merge_queue_add(struct merge_queue *q, const struct xensched_merged *item,
                    struct xensched_error *err);

/* Makes rows older than @limit_ns ready.  No other row may be ready. */
void merge_queue_sort(struct merge_queue *q, uint64_t limit_ns);

/* Too many rows wait, whatever the recording states: makes the older half ready. */
void merge_queue_sort_half(struct merge_queue *q);

void merge_queue_free(struct merge_queue *q);

#endif /* XENSCHED_LIB_MERGE_QUEUE_H */
