/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * merge-queue.h - what a merge has read, until no earlier row can come.
 *
 * Rows come in any order, and some begin to be ready when a limit is known:
 * then all are sorted, those before the limit can be taken, the others wait on.
 */
#ifndef XENSCHED_LIB_MERGE_QUEUE_H
#define XENSCHED_LIB_MERGE_QUEUE_H

#include <stddef.h>

#include <xensched/merge.h>

/* More never wait. */
#define MERGE_QUEUE_MAX (1U << 20)
/* Sorting fewer of them isn't worth it. */
#define MERGE_QUEUE_MIN 4096U

struct merge_queue {
    struct xensched_merged *waiting, *sorted;
    struct merge_key *keys;
    size_t nr, room;     /* of waiting */
    size_t at, ready;    /* of sorted: what is taken next, and its end */
    uint64_t newest_ns;
};

/* 0, or -ENOMEM.  @item->text is the queue's until it is taken. */
int merge_queue_add(struct merge_queue *q, const struct xensched_merged *item,
                    struct xensched_error *err);

/* All that is older than @limit_ns is ready.  Nothing else may be. */
void merge_queue_sort(struct merge_queue *q, uint64_t limit_ns);

/* Too many wait, whatever the recording says: the older half is ready. */
void merge_queue_sort_half(struct merge_queue *q);

void merge_queue_free(struct merge_queue *q);

#endif /* XENSCHED_LIB_MERGE_QUEUE_H */
