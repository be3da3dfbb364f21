/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - one run: places guests, prepares, runs and records the workload, and cleans up, even if
 * a step failed.
 */
#ifndef XENSCHED_RUNS_RUN_H
#define XENSCHED_RUNS_RUN_H

#include <xensched/error.h>

#include "pinning.h"
#include "store.h"

struct run {
    const struct plan_workload *workload;
    const struct plan_configuration *configuration;
    const char *recording; /* path */
    bool full;             /* keep its output, its recording, and every span */
    struct run_outcome outcome;
    char failure[400];
    bool stopped;          /* by a signal: the run is repeated */
};

/*
 * Executes the run, and fills in outcome, which has the failure of the workload and its commands.
 * Returns an error if guests could not be restored.
 */
int run_do(struct run *run, struct pinning *pinning, struct xensched_error *err);
void run_free(struct run *run);

#endif /* XENSCHED_RUNS_RUN_H */
