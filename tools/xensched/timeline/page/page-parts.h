/* SPDX-License-Identifier: GPL-2.0-only */
/* page-parts.h - the parts of a timeline's page, private to this folder. */
#ifndef XENSCHED_TIMELINE_PAGE_PARTS_H
#define XENSCHED_TIMELINE_PAGE_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>
#include <xensched/error.h>

#include "timeline/marks/regions.h"
#include "timeline/timeline.h"

/* Kinds of slices, with the numbers of data.js. */
enum page_slice {
    SLICE_UNKNOWN,
    SLICE_LOST,
    SLICE_IDLE, /* of a vCPU: blocked */
    SLICE_RUNNABLE,
    SLICE_DEVICE, /* of a thread: uninterruptible, usually for a device */
    SLICE_RUN,  /* plus the number of the vCPU, the pCPU, the place, the name of the
                   region, or the operation */
};

/* Kinds of instants besides events; each has a text. */
enum page_instant {
    INSTANT_LABEL = 64,
    INSTANT_DECISION,
    INSTANT_FOREIGN,
};

struct page_bytes {
    uint8_t *at;
    size_t nr, room;
};

struct page {
    const struct timeline *t;
    struct page_bytes data;
    json_object *meta, *lanes;
    unsigned int nr_lanes;
    uint32_t *vcpu_lane;   /* by index: number of its lane + 1 */
    uint32_t *thread_lane; /* by index: number of its lane + 1; 0: none */
    uint32_t *ring_lane;
    uint32_t first_foreign; /* number of the first foreign lane */
    struct region_lanes regions;
    unsigned int next_region_lane;
    size_t threads_left_out;
    /* State of the lane that is being written. */
    uint64_t last_ns, slices, last_what;
};

/* Writes seven bits at a time, the lowest first. */
void page_number(struct page *p, uint64_t number);

/* Add what happens between and in lanes, after all lanes. */
void page_add_arrows(struct page *p);
void page_add_instants(struct page *p);

/* @meta: JSON; @data: @nr bytes.  Returns 0 or a negative errno value. */
int page_file_write(const char *path, const char *meta, const uint8_t *data,
                    size_t nr, struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PAGE_PARTS_H */
