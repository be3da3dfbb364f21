/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-lanes.h - regions as they are drawn: below the vCPU that began them,
 * each in the first of a few lanes in which there is room for it, so that those
 * of one lane do not overlap.
 */
#ifndef XENSCHED_TIMELINE_REGION_LANES_H
#define XENSCHED_TIMELINE_REGION_LANES_H

#include "regions.h"

#define REGION_LANES 4U /* of a vCPU */

struct region_lane {
    uint32_t vcpu;    /* index */
    unsigned int number;
    const struct region **region; /* by time */
    size_t nr, room;
};

struct region_lanes {
    struct region_lane *lane; /* by vcpu, then number */
    unsigned int nr;
    uint64_t left_out; /* regions for which there was no room */
};

void region_lanes_make(struct region_lanes *lanes,
                       const struct regions *regions,
                       const struct vcpus *vcpus);
void region_lanes_free(struct region_lanes *lanes);

#endif /* XENSCHED_TIMELINE_REGION_LANES_H */
