/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * experiment-file.h - reads an experiment file: workloads x configurations x repetitions, and the
 * order of the runs.  docs/measure/experiments.md has the keys of the file, whose syntax is that of
 * xl.cfg(5).
 */
#ifndef XENSCHED_RUNS_EXPERIMENT_FILE_H
#define XENSCHED_RUNS_EXPERIMENT_FILE_H

#include <xensched/error.h>

/* Shell commands; NULL: none. */
struct plan_workload {
    char *name;
    char *run;
    char *prepare, *cleanup;
};

/* Confines all vCPUs of a guest to these pCPUs. */
struct plan_place {
    char *guest;
    char *cpus; /* "0-3,8" */
};

enum plan_log {
    PLAN_DRY,    /* nothing is recorded */
    PLAN_OFF,    /* and no event may be on */
    PLAN_RECORD, /* some events are recorded */
};

struct plan_configuration {
    char *name;
    char *prepare, *cleanup;
    enum plan_log log;
    char *events; /* with PLAN_RECORD: a list, or NULL: all events that are on */
    struct plan_place *place;
    unsigned int nr_places;
};

struct runs_plan {
    char *text; /* of the file */
    struct plan_workload *workload;
    unsigned int nr_workloads;
    struct plan_configuration *configuration;
    unsigned int nr_configurations;
    unsigned int repetitions, warmups;
};

/*
 * Fills in @plan, which the caller frees in any case.  An error has file and line.
 */
int runs_plan_read(struct runs_plan *plan, const char *path, struct xensched_error *err);
void runs_plan_free(struct runs_plan *plan);

/* Returns the workload with this name, or NULL. */
const struct plan_workload *plan_workload(const struct runs_plan *plan,
                                          const char *name);
const struct plan_configuration *plan_configuration(const struct runs_plan *plan,
                                                    const char *name);

/* Return whether any guest is placed, and whether anything is recorded. */
int runs_plan_places(const struct runs_plan *plan);
int runs_plan_records(const struct runs_plan *plan);

/*
 * The order of a plan's runs: one repetition after the other, and within each every workload in
 * every configuration once, in random order.  So changes of the host over time (warmth, other load,
 * a disk that fills) affect all configurations alike: randomised complete blocks.
 *
 * A seed gives the same order on every machine: GSL's mt19937, and its shuffle.
 */

struct order_item {
    unsigned int workload, configuration; /* indices in the plan */
    int repetition; /* from 1; warm-ups are 0, -1 ... */
};

unsigned int order_length(const struct runs_plan *plan);

/* Fills in order_length() items. */
void order_make(const struct runs_plan *plan, unsigned long seed,
                struct order_item *items);

#endif /* XENSCHED_RUNS_EXPERIMENT_FILE_H */
