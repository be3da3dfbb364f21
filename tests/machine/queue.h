/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bandwidth of a socket's memory or of its link: which line waits for others.
 *
 * So many lines pass in each microsecond.  A line takes the first microsecond, from its own
 * on, in which fewer have passed, and waits until that begins.  The order in which lines of
 * one microsecond come makes no difference: pCPUs take turns, and their clocks differ by a
 * microsecond.  So lines that come at the same moment do not wait for each other as long as
 * their microsecond has room: waits are a lower bound.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdint.h>

#define QUEUE_SLOTS 256 /* microseconds that are remembered */

struct queue {
    double lines_per_us;
    struct {
        uint64_t us;      /* which microsecond this is */
        uint32_t passed;  /* lines in it */
    } slots[QUEUE_SLOTS];
};

/* @gbs: GB/s. */
void queue_init(struct queue *queue, double gbs);

/* A line passes at @now (ns) or later.  Returns for how many ns it waits. */
double queue_wait(struct queue *queue, double now);

#endif /* QUEUE_H */
