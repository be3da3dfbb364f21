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

/* What a slice is, as data.js has it. */
enum page_slice {
    SLICE_UNKNOWN,
    SLICE_LOST,
    SLICE_IDLE, /* of a vCPU: blocked */
    SLICE_RUNNABLE,
    SLICE_DEVICE, /* of a thread: uninterruptible, as a rule for a device */
    SLICE_RUN,  /* and the number of the vCPU, of the pCPU, of the place, of
                   what is marked, or of the operation */
};

/* What an instant is, beside events: it has a text. */
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
    uint32_t *vcpu_lane;   /* number of its lane + 1, by index */
    uint32_t *thread_lane; /* likewise; 0: it has none */
    uint32_t *ring_lane;
    uint32_t first_foreign; /* number of the first one's lane */
    struct region_lanes regions;
    unsigned int next_region_lane;
    size_t threads_left_out;
    /* Of the lane that is written. */
    uint64_t last_ns, slices, last_what;
};

/* Seven bits after the other, the lowest first. */
void page_number(struct page *p, uint64_t number);

/* What happens between lanes and in them, when all of them are there. */
void page_add_arrows(struct page *p);
void page_add_instants(struct page *p);

/* @meta: JSON; @data: @nr bytes.  Returns 0 or a negative errno value. */
int page_file_write(const char *path, const char *meta, const uint8_t *data,
                    size_t nr, struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PAGE_PARTS_H */
