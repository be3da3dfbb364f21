/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skew.h - how far the TSC of one pCPU is from that of another one, by the rows alone.
 *
 * A vCPU runs after the notification that woke it.  So a notification on one pCPU and the run on
 * another one bound the difference of their clocks from one side, and the answer bounds it from
 * the other.  Where the bounds exclude zero, rows are corrected; how far the bounds are from
 * each other is the error that remains.  Differences of more than half a millisecond are not found.
 */
#ifndef XENSCHED_TIMELINE_SKEW_H
#define XENSCHED_TIMELINE_SKEW_H

#include "vcpus.h"

struct skew {
    int64_t *ahead_ns; /* by index of the pCPU: its clock before it was corrected */
    uint32_t nr;       /* pCPUs */
    uint64_t most_ns;  /* the largest difference of two pCPUs; 0: none was found */
    uint64_t error_ns; /* what may remain of it */
};

void skew_find(struct skew *skew, const struct rows *rows,
               const struct stays *stays, const struct vcpus *vcpus);
/* Puts the rows on one clock; what was made of them is to be made again. */
void skew_correct(const struct skew *skew, struct rows *rows,
                  const struct stays *stays);
void skew_free(struct skew *skew);

#endif /* XENSCHED_TIMELINE_SKEW_H */
