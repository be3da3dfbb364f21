/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.h - what back ends did for front ends: requests on their rings, from the
 * notification to the response.
 *
 * A row is written for each response, and none says which notification announced
 * its request.  So a request begins at the first notification since the response
 * before it; if there was none, it was on the ring already, and begins with that
 * response: what is shown is how long the ring took for it.  A back end is
 * believed what it says of itself; rings of one pair of domains are one.
 */
#ifndef XENSCHED_TIMELINE_RINGS_H
#define XENSCHED_TIMELINE_RINGS_H

#include "wakes.h"

/* BLKIF_OP_*, 7 for all others, and one for where only pages are logged. */
#define RING_UNKNOWN    8U
#define RING_OPERATIONS 9U

extern const char *const ring_operation_name[RING_OPERATIONS];

struct ring_request {
    uint64_t begin, end;
    uint64_t size;     /* sectors, or pages */
    uint32_t from;     /* index of the vCPU that notified, or NONE */
    uint8_t operation;
    bool notified;     /* it begins with a notification */
};

struct ring {
    uint16_t back, front; /* accounting domains */
    struct ring_request *request; /* by end; they do not overlap */
    size_t nr, room;
};

struct rings {
    struct ring *ring;
    size_t nr, room;
    bool sectors;      /* else sizes are pages */
    uint64_t left_out; /* responses of more rings than are told apart */
};

void rings_make(struct rings *rings, const struct rows *rows,
                const struct wakes *wakes);
void rings_free(struct rings *rings);

#endif /* XENSCHED_TIMELINE_RINGS_H */
