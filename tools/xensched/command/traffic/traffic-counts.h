/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traffic-counts.h - how many bytes each network card of a guest has sent to which MAC, as
 * the kernel counts them on the bridges of this domain.
 */
#ifndef XENSCHED_TRAFFIC_TRAFFIC_COUNTS_H
#define XENSCHED_TRAFFIC_TRAFFIC_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#include "cards.h"

struct count {
    const struct card *card;
    char peer[MAC_TEXT];
    uint64_t bytes;
};

struct counts {
    struct count *count;
    size_t nr;
};

/* -EBUSY: another process has the kernel of this network namespace count. */
int counts_lock(struct xensched_error *err);

/* Has the kernel count what these cards send, from 0.  The caller has the lock. */
int counts_begin(const struct cards *cards, struct xensched_error *err);

/*
 * Reads what these cards have sent, those with the most bytes first.  The caller frees
 * the result, before the cards.  -ESTALE: the kernel no longer counts, since another
 * program has deleted or emptied the table.
 */
int counts_read(struct counts *counts, const struct cards *cards,
                struct xensched_error *err);
void counts_free(struct counts *counts);

/* The kernel counts no more. */
void counts_end(void);

#endif /* XENSCHED_TRAFFIC_TRAFFIC_COUNTS_H */
