/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skew.h - bounds how far the TSC of one pCPU is from that of another one.
 *
 * Xen stamps a notification on the sender's pCPU and a run on the receiver's, and computes the
 * delay in between from both TSCs.  If the receiver's TSC is ahead, the delay is too long by the
 * difference; if it is behind, the delay is too short, and 0 at the least.  So each delay bounds
 * the difference from one side, and the answer's delay from the other.
 *
 * Two pCPUs without bounds from both sides have an unknown difference, unless Xen found
 * that all TSCs are one clock and no bound contradicts.
 */
#ifndef XENSCHED_TIMELINE_SKEW_H
#define XENSCHED_TIMELINE_SKEW_H

#include "stays.h"

/* Nothing bounds the difference of two pCPUs' clocks. */
#define SKEW_UNKNOWN UINT64_MAX

struct skew {
    int64_t *ahead_ns;  /* by index of the pCPU: its clock before the correction */
    uint64_t *pair_ns;  /* [from][to]: error that remains, or SKEW_UNKNOWN */
    uint32_t nr;        /* pCPUs */
    uint32_t *cause;    /* by index of the row: pCPU of the notification that woke, or NONE */
    uint64_t most_ns;   /* the largest difference of two pCPUs; 0: none was found */
    uint64_t error_ns;  /* the largest known error */
    uint64_t unknown;   /* pairs of pCPUs whose difference is unknown */
};

void skew_find(struct skew *skew, const struct rows *rows,
               const struct stays *stays);
/* Puts the rows on one clock; the caller recomputes what it derived from them. */
void skew_correct(const struct skew *skew, struct rows *rows,
                  const struct stays *stays);
void skew_free(struct skew *skew);

/* Returns the error between times on two pCPUs (indices), or SKEW_UNKNOWN. */
uint64_t skew_error(const struct skew *skew, uint32_t from, uint32_t to);

#endif /* XENSCHED_TIMELINE_SKEW_H */
