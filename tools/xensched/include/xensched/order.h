/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * order.h - checks whether the clocks of a recording agree: counts events whose times contradict
 * their order by more than the errors of both clocks allow.
 *
 * A disk back end in a driver domain logs a request (ring-pages, with its own clock) before the
 * front end can see the response, and notifies the front end afterwards (evtchn-send, with the
 * hypervisor's clock).  If there is one of each between two notifications of the front end, which
 * means one request at a time, the response must come first.  The check ignores several requests
 * at a time, and dom0, which also notifies its clients for other reasons.
 */
#ifndef XENSCHED_ORDER_H
#define XENSCHED_ORDER_H

#include <xensched/merge.h>

struct xensched_order;

struct xensched_order_counts {
    uint64_t pairs;    /* pairs of a response and its notification */
    uint64_t wrong;    /* pairs whose response came later */
    uint64_t worst_ns; /* the longest time by which it came later */
};

/* NULL: no memory. */
struct xensched_order *xensched_order_new(void);

/* Call this for everything that xensched_merge_next() delivers, in that order. */
void xensched_order_take(struct xensched_order *order,
                         const struct xensched_merge *merge,
                         const struct xensched_merged *merged);

void xensched_order_counts(const struct xensched_order *order,
                           struct xensched_order_counts *counts);

/* NULL is allowed. */
void xensched_order_free(struct xensched_order *order);

#endif /* XENSCHED_ORDER_H */
