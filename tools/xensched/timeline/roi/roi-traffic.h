/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * roi-traffic.h - counts the notifications between a domain and others in an interval.
 */
#ifndef XENSCHED_TIMELINE_ROI_TRAFFIC_H
#define XENSCHED_TIMELINE_ROI_TRAFFIC_H

#include "roi.h"

struct roi_notified;
struct roi_group;

struct roi_traffic {
    struct roi_notified *item; /* by group, then by time */
    size_t nr, room;
    struct roi_group *group;   /* by accounting domain, the largest first */
    size_t nr_groups, groups_room;
    size_t *first;             /* [acct]: its first group; NULL: no rows */
};

/* Counts for the domains that have @regions. */
void roi_traffic_make(struct roi_traffic *traffic, const struct rows *rows,
                      const struct regions *regions);
void roi_traffic_free(struct roi_traffic *traffic);

/* Returns the sums of @acct with all partners, from @begin until @end. */
void roi_traffic_of(const struct roi_traffic *traffic, uint16_t acct,
                    uint64_t begin, uint64_t end, uint64_t *sent,
                    uint64_t *received);

/* Adds the notifications in @region to the partners of its kind @kind. */
void roi_traffic_add(const struct roi_traffic *traffic,
                     const struct region *region, struct roi_kind *kind);

#endif /* XENSCHED_TIMELINE_ROI_TRAFFIC_H */
