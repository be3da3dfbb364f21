/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * order.h - do the clocks of a recording agree?  What must come in order is
 * counted when it does not, beyond what the errors of both clocks allow.
 *
 * What is looked at: a disk back end in a driver domain logs a request
 * (ring-pages, with its own clock) before the front end can see the response, and
 * notifies it after that (evtchn-send, with the hypervisor's).  Where there is
 * one of each between two notifications of the front end, which is a request at
 * a time, the response has to be the first.  With more requests at a time nothing
 * is said, nor of dom0, which notifies its clients for other reasons, too.
 */
#ifndef XENSCHED_ORDER_H
#define XENSCHED_ORDER_H

#include <xensched/merge.h>

struct xensched_order;

struct xensched_order_counts {
    uint64_t pairs;    /* of a response and its notification */
    uint64_t wrong;    /* of these: the response came later */
    uint64_t worst_ns; /* by how much, at most */
};

/* NULL: no memory. */
struct xensched_order *xensched_order_new(void);

/* What xensched_merge_next() delivers, all of it, in that order. */
void xensched_order_take(struct xensched_order *order,
                         const struct xensched_merge *merge,
                         const struct xensched_merged *merged);

void xensched_order_counts(const struct xensched_order *order,
                           struct xensched_order_counts *counts);

/* NULL is allowed. */
void xensched_order_free(struct xensched_order *order);

#endif /* XENSCHED_ORDER_H */
