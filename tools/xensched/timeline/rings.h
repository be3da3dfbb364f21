/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.h - requests on rings that back ends served for front ends, from the notification to the
 * response.
 *
 * Each response has a row, and no row names the notification that announced the request.  So a
 * request begins at the first notification since the previous response.  Without one, the request
 * was already on the ring, and begins with that response: its length is the ring's time for it.  A
 * back end's own rows are not validated; rings of one pair of domains count as one.
 */
#ifndef XENSCHED_TIMELINE_RINGS_H
#define XENSCHED_TIMELINE_RINGS_H

#include "wakes.h"

/* BLKIF_OP_*, 7 for all others, and one more where only pages are logged. */
#define RING_UNKNOWN    8U
#define RING_OPERATIONS 9U

extern const char *const ring_operation_name[RING_OPERATIONS];

struct ring_request {
    uint64_t begin, end;
    uint64_t size;     /* sectors, or pages */
    uint32_t from;     /* index of the notifying vCPU, or NONE */
    uint8_t operation;
    bool notified;     /* it begins with a notification */
};

struct ring {
    uint16_t back, front; /* accounting domains */
    struct ring_request *request; /* by end; requests do not overlap */
    size_t nr, room;
};

struct rings {
    struct ring *ring;
    size_t nr, room;
    bool sectors;      /* sizes are sectors; otherwise pages */
    uint64_t left_out; /* responses of rings beyond the limit */
};

void rings_make(struct rings *rings, const struct rows *rows,
                const struct wakes *wakes);
void rings_free(struct rings *rings);

#endif /* XENSCHED_TIMELINE_RINGS_H */
