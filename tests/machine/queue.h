/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the bandwidth of a socket's memory or of its link, for which lines wait.
 *
 * A limited number of lines passes in each microsecond.  A line uses the first microsecond,
 * from its own on, with capacity left, and waits until that microsecond begins.  The order
 * of lines within one microsecond makes no difference: pCPUs take turns, and their clocks
 * differ by a microsecond.  So lines of the same moment do not wait for each other while
 * their microsecond has capacity: waits are a lower bound.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdint.h>

#define QUEUE_SLOTS 256 /* microseconds that are kept */

struct queue {
    double lines_per_us;
    struct {
        uint64_t us;      /* the microsecond */
        uint32_t passed;  /* lines in it */
    } slots[QUEUE_SLOTS];
};

/* @gbs: GB/s. */
void queue_init(struct queue *queue, double gbs);

/* A line passes at @now (ns) or later.  Returns the ns that it waits. */
double queue_wait(struct queue *queue, double now);

#endif /* QUEUE_H */
