/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * work-count.h - counts a guest's work in units of its own, and a kind of it, in a page that dom0
 * reads while the guest is stopped (work-count.c).  Units are also regions of the machine model:
 * unit n is region 1 + n % WORK_REGIONS.  So a piece of work can be found again, independently of
 * time.
 */

#ifndef WORK_COUNT_H
#define WORK_COUNT_H

#include <stdint.h>

#define WORK_REGIONS 62

/* The contents of the page. */
struct work_count {
    uint64_t units; /* number of units that have begun */
    uint64_t kind;  /* steps of the kind, in a measure of the program's choice */
};

/* In the guest's part of xenstore: the grant of its page. */
#define WORK_NODE "data/work-page"

/* Called once, before the first unit.  Ends the program if it fails. */
void work_begin(void);

/* Begins a unit, and ends the one before. */
void work_unit(void);

/* Counts a step of the kind. */
void work_kind(void);

/* Ends the last unit. */
void work_end(void);

#endif /* WORK_COUNT_H */
