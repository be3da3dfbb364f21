/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-state.h - describes the host on which an experiment runs, and what disturbed it in the
 * meantime.
 */
#ifndef XENSCHED_RUNS_HOST_STATE_H
#define XENSCHED_RUNS_HOST_STATE_H

#include <stdint.h>

#include "pinning.h"

/*
 * The description of a host, as lines "name: value" in a fixed order: if two texts are equal,
 * figures can be compared.
 */

/* The caller frees *text if 0 is returned. */
int fingerprint_make(const struct pinning *p, char **text,
                     struct xensched_error *err);

/*
 * What makes a time on this machine worthless: its clock was set, or the machine did not run.
 */

struct disturbance {
    int64_t clock_ns;  /* change of CLOCK_REALTIME against CLOCK_MONOTONIC */
    uint64_t steal_ns; /* mean of all CPUs; known at the end */

    uint64_t steal_ticks; /* sum of all CPUs, from /proc/stat */
    unsigned int cpus;    /* number of online CPUs */
};

void disturbance_begin(struct disturbance *d);

/* Computes the changes since then. */
void disturbance_end(struct disturbance *d);

#endif /* XENSCHED_RUNS_HOST_STATE_H */
