/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regions.h - from a mark that begins something to the one that ends it.
 *
 * An end belongs to the last begin of the same that is still open: on the same
 * vCPU, or else, as threads move, on any of the domain's.  So regions of one
 * name may lie in each other, and those of two may overlap.
 */
#ifndef XENSCHED_TIMELINE_REGIONS_H
#define XENSCHED_TIMELINE_REGIONS_H

#include "marks.h"

/* Names that are told apart, and how deep those of one may lie in each other. */
#define REGIONS_MOST_KINDS 1024U
#define REGIONS_MOST_OPEN  256U

struct region {
    uint64_t begin, end;
    uint32_t kind;  /* index */
    uint32_t lane;  /* index of the vCPU, or STAY_NONE: not known, or two */
    uint16_t acct;
    bool moved;     /* it ended on another vCPU */
    bool whole;     /* no rows were lost in it */
};

struct region_kind {
    uint16_t acct;
    const char *name;  /* that of its begin; marks have it */
    uint64_t nr;       /* of regions */
    uint64_t unended, unbegun; /* marks that have no other one */
    uint64_t moved, broken;    /* of nr: moved; not whole */
};

/* What begins and what ends: a name, or a code; NULL: whatever has a name. */
struct regions_of {
    const char *begin, *end;
    int acct;          /* -1: of any */
};

struct regions {
    struct region *region; /* by begin */
    size_t nr, room;
    struct region_kind *kind; /* in the order in which they came */
    size_t nr_kinds, kinds_room;
    uint64_t left_out; /* marks of more than REGIONS_MOST_KINDS */
};

void regions_make(struct regions *regions, const struct rows *rows,
                  const struct marks *marks, const struct regions_of *of);
void regions_free(struct regions *regions);

#endif /* XENSCHED_TIMELINE_REGIONS_H */
