/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much a guest has done, in units of its own, and how much of it was of a certain
 * kind: in a page that dom0 sees while the guest stands still (work-count.c).  Units are
 * regions of the machine model, too: unit n is region 1 + n % WORK_REGIONS.  So a piece
 * of work can be found again whatever the time was like.
 */

#ifndef WORK_COUNT_H
#define WORK_COUNT_H

#include <stdint.h>

#define WORK_REGIONS 62

/* What the page has. */
struct work_count {
    uint64_t units; /* that have begun */
    uint64_t kind;  /* steps of that kind, in what measure the program likes */
};

/* In the guest's part of xenstore: the grant of its page. */
#define WORK_NODE "data/work-page"

/* Once, before the first unit.  Ends the program when it fails. */
void work_begin(void);

/* A unit begins, and with it ends the one before. */
void work_unit(void);

/* A step of the kind. */
void work_kind(void);

/* What was begun last has ended, and nothing follows. */
void work_end(void);

#endif /* WORK_COUNT_H */
