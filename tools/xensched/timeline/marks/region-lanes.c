/* SPDX-License-Identifier: GPL-2.0-only */
/* Assigns regions to lanes in which they do not overlap. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "region-lanes.h"

static void put(struct region_lanes *lanes, struct region_lane *all,
                const struct region *region, uint32_t vcpu)
{
    unsigned int i;

    for (i = 0; i < REGION_LANES; i++) {
        struct region_lane *lane = &all[vcpu * REGION_LANES + i];

        if (lane->nr && lane->region[lane->nr - 1]->end > region->begin)
            continue;
        *list_add(lane->region, lane->nr, lane->room) = region;
        return;
    }
    lanes->left_out++;
}

void region_lanes_make(struct region_lanes *lanes,
                       const struct regions *regions,
                       const struct vcpus *vcpus)
{
    size_t nr = vcpus->nr * REGION_LANES, i;
    struct region_lane *all = need_memory(nr + 1, sizeof(*all));

    memset(lanes, 0, sizeof(*lanes));
    for (i = 0; i < regions->nr; i++) {
        const struct region *region = &regions->region[i];
        const unsigned int *first = &vcpus->first[region->acct];

        if (region->lane != STAY_NONE)
            put(lanes, all, region, region->lane);
        else if (first[0] < first[1])
            put(lanes, all, region, first[0]);
        else
            lanes->left_out++;
    }
    for (i = 0; i < nr; i++) {
        all[i].vcpu = i / REGION_LANES;
        all[i].number = i % REGION_LANES;
        if (all[i].nr)
            all[lanes->nr++] = all[i];
    }
    lanes->lane = all;
}

void region_lanes_free(struct region_lanes *lanes)
{
    unsigned int i;

    for (i = 0; i < lanes->nr; i++)
        free(lanes->lane[i].region);
    free(lanes->lane);
    memset(lanes, 0, sizeof(*lanes));
}
