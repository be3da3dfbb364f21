/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pinning.h - guests on the pCPUs that a configuration names, and back.
 *
 * It is the daemon's actuator that does it, with a state file of its own: what
 * was there before is on disk before it is changed, so a process that is killed
 * leaves it to the next one.
 */
#ifndef XENSCHED_RUNS_PINNING_H
#define XENSCHED_RUNS_PINNING_H

#include <stdio.h>

#include "daemon/act/actuator.h"
#include "experiment-file.h"

struct pinning {
    const struct host *host; /* NULL: there is none, and nothing is placed */
    unsigned int nr_cpus;
    struct journal journal;
    struct actuator actuator;
};

/*
 * @state: the file.  What a former process left is put back: *restored is of how
 * many domains.  To be closed if 0 is returned.
 */
int pinning_open(struct pinning *p, const struct host *host,
                 const char *state, unsigned int *restored,
                 struct xensched_error *err);
void pinning_close(struct pinning *p);

/* Could @configuration be applied?  It names what is not there, if not. */
int pinning_check(const struct pinning *p,
                  const struct plan_configuration *configuration,
                  struct xensched_error *err);

int pinning_apply(struct pinning *p,
                  const struct plan_configuration *configuration,
                  struct xensched_error *err);

/* Everything as it was.  What is left to be done is in the state file. */
int pinning_restore(struct pinning *p, struct xensched_error *err);

/* A line for each pCPU, and for each domain and its affinities. */
int pinning_describe(const struct pinning *p, FILE *out,
                     struct xensched_error *err);

#endif /* XENSCHED_RUNS_PINNING_H */
