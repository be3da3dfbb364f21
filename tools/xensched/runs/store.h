/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - the database of runs, one SQLite file; docs/measure/experiments.md has its schema.
 *
 * The database is the journal, too: a run is planned, begun, and done or failed, and each of these
 * steps is one transaction, so at any moment the file shows what was finished.
 *
 * Functions return 0 or a negative errno value with *err; -EBUSY: another process is writing;
 * -ENOSPC: the disk is full; -EILSEQ: the file is damaged, or no database of runs; -EPROTO: a later
 * xensched has made it.
 */
#ifndef XENSCHED_RUNS_STORE_H
#define XENSCHED_RUNS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

#include "experiment-file.h"
#include "schedule.h"

struct json_object;
struct sqlite3;
struct sqlite3_stmt;

struct store {
    struct sqlite3 *db;
    const char *path;
};

/* @create: make the database if it is missing. */
int store_open(struct store *s, const char *path, bool create,
               struct xensched_error *err);
void store_close(struct store *s);

/* For other readers and writers; @what names the operation in errors. */
int store_prepare(const struct store *s, const char *sql,
                  struct sqlite3_stmt **statement, struct xensched_error *err);
int store_fail(const struct store *s, const char *what,
               struct xensched_error *err);

/* Finds the unfinished execution of a plan; 0: none. */
int store_unfinished(const struct store *s, const char *plan_text,
                     int64_t *experiment, struct xensched_error *err);
int store_plan(const struct store *s, const struct runs_plan *plan, uint32_t seed,
               const struct order_item *items, int64_t *experiment,
               struct xensched_error *err);

/* Adds the present host, on which the runs that follow are executed. */
int store_session(const struct store *s, int64_t experiment, const char *host,
                  int64_t *session, struct xensched_error *err);

struct store_next {
    int64_t run;
    char workload[64], configuration[64];
    int repetition;
    bool begun; /* it had begun, and did not end */
};

/* Returns 1 if *next is to be executed now; 0: all are done. */
int store_next(const struct store *s, int64_t experiment,
               struct store_next *next, struct xensched_error *err);

struct store_progress {
    unsigned int runs, ended, failed;
};

int store_progress(const struct store *s, int64_t experiment,
                   struct store_progress *progress, struct xensched_error *err);

int store_begin(const struct store *s, int64_t run, int64_t session,
                struct xensched_error *err);

struct run_value {
    char *name, *unit; /* unit: "" for none */
    double value;
};

struct run_outcome {
    const char *failure; /* why the run does not count; NULL: it counts */
    int exit_status;     /* of the workload; negative: it was not reached */
    uint64_t wall_ns;
    int64_t clock_jump_ns;
    uint64_t steal_ns;
    char *output;        /* NULL: not kept */
    struct run_value *value;
    unsigned int nr_values;
    char *refused;       /* the first invalid line "value ..."; NULL: none */
    const char *recording; /* path; NULL: none */
    uint64_t recording_bytes;
    uint32_t recording_crc32;
    struct schedule schedule;
};

int store_finish(const struct store *s, int64_t run, const struct run_outcome *o,
                 struct xensched_error *err);

/* A completed run of another program. */
struct store_done {
    const char *workload, *configuration;
    int repetition;
    int64_t begun_s;
    struct run_outcome outcome; /* values only */
};

/*
 * Imports an experiment of another program, all of it or nothing.  Its runs have no wall time.
 * @plan describes it.
 */
int store_import(const struct store *s, const char *plan, uint32_t seed,
                 const char *host, const struct store_done *run, size_t nr,
                 int64_t *experiment, struct xensched_error *err);

/* Reading. */

/* Uses @experiment as given, or the latest one if it is 0; -ENOENT: none. */
int store_choose(const struct store *s, int64_t *experiment,
                 struct xensched_error *err);

/*
 * Calls @take with each row that @sql yields for its parameter @number; a NULL is an empty text.
 * Ends when @take returns another value than 0.
 */
int store_rows(const struct store *s, const char *sql, int64_t number,
               int (*take)(void *arg, unsigned int nr, const char *const *text),
               void *arg, struct xensched_error *err);

enum sample_kind {
    SAMPLE_WALL,     /* time of the workload */
    SAMPLE_VALUE,    /* printed by the workload */
    SAMPLE_SCHEDULE, /* from the recording */
};

/*
 * Returns the rows that @sql yields for its parameter @number as an array in *json, which the
 * caller frees if 0 is returned: of objects with the columns as members; or, with one column, of
 * values.
 */
int store_json(const struct store *s, const char *sql, int64_t number,
               struct json_object **json, struct xensched_error *err);

/* A figure of a completed run that is no warm-up. */
struct sample {
    const char *workload, *configuration;
    enum sample_kind kind;
    const char *metric, *unit;
    int64_t run;
    double value;
};

/* Sorted by workload, then kind, metric, configuration. */
int store_samples(const struct store *s, int64_t experiment,
                  void (*take)(void *arg, const struct sample *sample),
                  void *arg, struct xensched_error *err);

#endif /* XENSCHED_RUNS_STORE_H */
