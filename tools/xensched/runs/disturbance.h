/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disturbance.h - what happened to this machine meanwhile that makes a time
 * worthless: its clock was set, or it did not run.
 */
#ifndef XENSCHED_RUNS_DISTURBANCE_H
#define XENSCHED_RUNS_DISTURBANCE_H

#include <stdint.h>

struct disturbance {
    int64_t clock_ns;  /* CLOCK_REALTIME beyond CLOCK_MONOTONIC */
    uint64_t steal_ns; /* a CPU's, on the average; known at the end */

    uint64_t steal_ticks; /* all CPUs', as /proc/stat has it */
    unsigned int cpus;    /* that are online */
};

void disturbance_begin(struct disturbance *d);

/* What came since then. */
void disturbance_end(struct disturbance *d);

#endif /* XENSCHED_RUNS_DISTURBANCE_H */
