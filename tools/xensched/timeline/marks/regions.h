/* SPDX-License-Identifier: GPL-2.0-only */
/* regions.h - regions between two marks of a guest, and the lanes in which they are drawn. */
#ifndef XENSCHED_TIMELINE_REGIONS_H
#define XENSCHED_TIMELINE_REGIONS_H

#include "marks.h"

/* The most names, and the greatest depth of nested regions of one name. */
#define REGIONS_MOST_KINDS 1024U
#define REGIONS_MOST_OPEN  256U

struct region {
    uint64_t begin, end;
    uint32_t kind;  /* index */
    uint32_t lane;  /* index of the vCPU, or STAY_NONE: unknown, or two vCPUs */
    uint16_t acct;
    bool moved;     /* it ended on another vCPU */
    bool whole;     /* no rows were lost in it */
};

struct region_kind {
    uint16_t acct;
    const char *name;  /* of its begin; owned by the marks */
    uint64_t nr;       /* number of regions */
    uint64_t unended, unbegun; /* marks without their counterpart */
    uint64_t moved, broken;    /* number of moved regions; of regions with lost rows */
};

/* Selects marks: a name, or a code; NULL: all that have a name. */
struct regions_of {
    const char *begin, *end;
    int acct;          /* -1: any */
};

struct regions {
    struct region *region; /* by begin */
    size_t nr, room;
    struct region_kind *kind; /* in the order of their first mark */
    size_t nr_kinds, kinds_room;
    uint64_t left_out; /* marks of kinds beyond REGIONS_MOST_KINDS */
};

void regions_make(struct regions *regions, const struct rows *rows,
                  const struct marks *marks, const struct regions_of *of);
void regions_free(struct regions *regions);

#define REGION_LANES 4U /* per vCPU */

struct region_lane {
    uint32_t vcpu;    /* index */
    unsigned int number;
    const struct region **region; /* by time */
    size_t nr, room;
};

struct region_lanes {
    struct region_lane *lane; /* by vcpu, then number */
    unsigned int nr;
    uint64_t left_out; /* number of regions without a lane */
};

void region_lanes_make(struct region_lanes *lanes,
                       const struct regions *regions,
                       const struct vcpus *vcpus);
void region_lanes_free(struct region_lanes *lanes);

#endif /* XENSCHED_TIMELINE_REGIONS_H */
