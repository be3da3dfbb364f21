/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runs-actions.h - the actions of xensched runs, each a row of the table in runs.c, and their
 * common functions.
 */
#ifndef XENSCHED_COMMAND_RUNS_ACTIONS_H
#define XENSCHED_COMMAND_RUNS_ACTIONS_H

#include <stdint.h>

#include "command/command.h"
#include "runs/statistics.h"
#include "runs/store.h"

#define RUNS_DATABASE "/var/lib/xensched/runs.sqlite"

/* The blocks of the latest trial, where xenschedd writes them by default. */
#define TRIAL_BLOCKS "/var/lib/xensched/trial-blocks.jsonl"

/*
 * These two create the database @path if it is missing, but not for a file that they cannot read.
 */
int runs_do(const struct arguments *args, const char *path);
int runs_import(const struct arguments *args, const char *path);

/* If the folder cannot be made, opening the file in it fails. */
void runs_make_folder_of(const char *path);

/* Each returns an exit code; @store is open, and args->word has the arguments. */
int runs_list(const struct arguments *args, struct store *store);
int runs_stat(const struct arguments *args, struct store *store);
int runs_show(const struct arguments *args, struct store *store);
int runs_compare(const struct arguments *args, struct store *store);
int runs_export(const struct arguments *args, struct store *store);
int runs_report(const struct arguments *args, struct store *store);

/* Adds what store_json() gives for @sql and @number to @o as the member @key. */
int runs_add_rows(struct json_object *o, const char *key, const struct store *store,
                  const char *sql, int64_t number, struct xensched_error *err);

/* The experiment that @word names, or the latest one; 0 after a message to the user. */
int64_t runs_experiment(const struct store *store, const char *word);

/* Caveats: what reduces the value of figures of an experiment, or makes them worthless. */

/*
 * Calls @visit with each caveat; @groups are the figures of @experiment.  Returns as
 * store_rows().
 */
int caveats_visit(const struct store *store, int64_t experiment,
                  const struct groups *groups,
                  void (*visit)(void *arg, const char *text), void *arg,
                  struct xensched_error *err);

/* Prints a line "! ..." for each caveat.  Returns as store_rows(). */
int caveats_print(const struct store *store, int64_t experiment,
                  const struct groups *groups, struct xensched_error *err);

/* A figure to four digits, as "12.35 s"; see text_format(). */
const char *figure(double value, const char *unit);

/* A part of 1: "3.1 %". */
const char *figure_percent(double part);

#endif /* XENSCHED_COMMAND_RUNS_ACTIONS_H */
