/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-state.h - the host on which an experiment runs: what it is, and what happened to it
 * meanwhile.
 */
#ifndef XENSCHED_RUNS_HOST_STATE_H
#define XENSCHED_RUNS_HOST_STATE_H

#include <stdint.h>

#include "pinning.h"

/*
 * What a host is, as lines "what: value" in a fixed order: of two
 * texts that are the same, figures can be compared.
 */

/* *text is to be freed if 0 is returned. */
int fingerprint_make(const struct pinning *p, char **text,
                     struct xensched_error *err);

/*
 * What happened to this machine meanwhile that makes a time
 * worthless: its clock was set, or it did not run.
 */

struct disturbance {
    int64_t clock_ns;  /* CLOCK_REALTIME beyond CLOCK_MONOTONIC */
    uint64_t steal_ns; /* a CPU's, on the average; known at the end */

    uint64_t steal_ticks; /* all CPUs', as /proc/stat has it */
    unsigned int cpus;    /* that are online */
};

void disturbance_begin(struct disturbance *d);

/* What came since then. */
void disturbance_end(struct disturbance *d);

#endif /* XENSCHED_RUNS_HOST_STATE_H */
