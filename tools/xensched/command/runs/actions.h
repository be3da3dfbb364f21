/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * actions.h - what xensched runs can be told to do.  An action is one file, and
 * one row of the table in runs.c.
 */
#ifndef XENSCHED_COMMAND_RUNS_ACTIONS_H
#define XENSCHED_COMMAND_RUNS_ACTIONS_H

#include <stdint.h>

#include "command/command.h"
#include "runs/store.h"

#define RUNS_DATABASE "/var/lib/xensched/runs.sqlite"

/* The blocks of the latest trial, where xenschedd writes them by default. */
#define TRIAL_BLOCKS "/var/lib/xensched/trial-blocks.jsonl"

/*
 * These two make the database @path if there is none, but not for a file that they cannot
 * read.
 */
int runs_do(const struct arguments *args, const char *path);
int runs_import(const struct arguments *args, const char *path);

/* If the folder cannot be made, opening the file in it fails. */
void runs_make_folder_of(const char *path);

/* Each returns an exit code; @store is open, and args->word is what it takes. */
int runs_list(const struct arguments *args, struct store *store);
int runs_stat(const struct arguments *args, struct store *store);
int runs_show(const struct arguments *args, struct store *store);
int runs_compare(const struct arguments *args, struct store *store);
int runs_export(const struct arguments *args, struct store *store);
int runs_report(const struct arguments *args, struct store *store);

/* Adds what store_json() gives for @sql and @number to @o as the member @key. */
int runs_add_rows(struct json_object *o, const char *key, const struct store *store,
                  const char *sql, int64_t number, struct xensched_error *err);

/* The experiment that @word names, or the latest one; 0: it was complained. */
int64_t runs_experiment(const struct store *store, const char *word);

#endif /* XENSCHED_COMMAND_RUNS_ACTIONS_H */
