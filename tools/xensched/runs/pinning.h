/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pinning.h - binds guests to the pCPUs that a configuration names, and restores them.
 *
 * The daemon's actuator does that, with a state file of its own: each original affinity is on disk
 * before the change, so the next process restores what a killed process left.
 */
#ifndef XENSCHED_RUNS_PINNING_H
#define XENSCHED_RUNS_PINNING_H

#include <stdio.h>

#include "daemon/act/actuator.h"
#include "experiment-file.h"

struct pinning {
    const struct host *host; /* NULL: none, and nothing is placed */
    unsigned int nr_cpus;
    struct journal journal;
    struct actuator actuator;
};

/*
 * @state is the file.  Restores what a former process left: *restored is the number of domains.
 * The caller closes @p if 0 is returned.
 */
int pinning_open(struct pinning *p, const struct host *host,
                 const char *state, unsigned int *restored,
                 struct xensched_error *err);
void pinning_close(struct pinning *p);

/* Returns 0 if @configuration can be applied; otherwise the error names what is missing. */
int pinning_check(const struct pinning *p,
                  const struct plan_configuration *configuration,
                  struct xensched_error *err);

int pinning_apply(struct pinning *p,
                  const struct plan_configuration *configuration,
                  struct xensched_error *err);

/* Restores everything.  The state file has what could not be restored. */
int pinning_restore(struct pinning *p, struct xensched_error *err);

/* Writes a line for each pCPU, and for each domain with its affinities. */
int pinning_describe(const struct pinning *p, FILE *out,
                     struct xensched_error *err);

#endif /* XENSCHED_RUNS_PINNING_H */
