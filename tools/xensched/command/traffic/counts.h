/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.h - how many bytes each network card of a guest has sent to which MAC, as
 * the kernel counts them on the bridges of this domain.
 */
#ifndef XENSCHED_TRAFFIC_COUNTS_H
#define XENSCHED_TRAFFIC_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#include "mac.h"

struct count {
    uint32_t domid, card; /* of vifDOMID.CARD */
    char peer[MAC_TEXT];
    uint64_t bytes;
};

struct counts {
    struct count *count;
    size_t nr;
};

/* Have the kernel count, from 0. */
int counts_begin(struct xensched_error *err);

/* What there is now; those with the most bytes first.  To be freed. */
int counts_read(struct counts *counts, struct xensched_error *err);
void counts_free(struct counts *counts);

/* The kernel counts no more. */
void counts_end(void);

#endif /* XENSCHED_TRAFFIC_COUNTS_H */
