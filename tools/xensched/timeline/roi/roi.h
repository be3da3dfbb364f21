/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * roi.h - what happened in regions of interest: how long the vCPU ran, waited and slept, the
 * domain's partners in the meantime, how often the vCPU moved.
 *
 * If a region ended on another vCPU, or its vCPU is unknown, all of its time is unknown.
 * Statistics are about whole regions.
 */
#ifndef XENSCHED_TIMELINE_ROI_H
#define XENSCHED_TIMELINE_ROI_H

#include "timeline/latency.h"
#include "timeline/timeline.h"

/* The most partners, those with most traffic. */
#define ROI_PARTNERS 16U

/* Buckets of the histogram: lengths from 1 << i ns on. */
#define ROI_BUCKETS 53U

enum roi_value {
    ROI_WALL,
    ROI_RUNNING,
    ROI_RUNNABLE,
    ROI_BLOCKED,
    ROI_UNKNOWN,    /* includes time in which rows were lost */
    ROI_WAKE_DELAY, /* the part of runnable time after a wake-up */
    ROI_MIGRATIONS,
    ROI_SENT,       /* notifications of its domain */
    ROI_RECEIVED,
    ROI_VALUES,
};

extern const char *const roi_value_name[ROI_VALUES];

struct roi_interval {
    const struct region *region;
    uint64_t value[ROI_VALUES];
};

struct roi_partner {
    uint16_t acct;
    uint64_t sent, received; /* in all whole regions together */
};

/* Sums over the regions of one kind. */
struct roi_kind {
    struct latency_values value[ROI_VALUES];
    uint64_t bucket[ROI_BUCKETS]; /* of ROI_WALL */
    struct roi_partner partner[ROI_PARTNERS]; /* most traffic first */
    unsigned int nr_partners;
};

struct roi {
    struct roi_interval *interval; /* by begin, as many as regions */
    struct roi_kind *kind;         /* as many as kinds of regions */
};

void roi_make(struct roi *roi, const struct timeline *t,
              const struct regions *regions);
void roi_free(struct roi *roi, const struct regions *regions);

#endif /* XENSCHED_TIMELINE_ROI_H */
