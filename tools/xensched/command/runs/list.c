/* SPDX-License-Identifier: GPL-2.0-only */
/* list.c - xensched runs list: experiments, or the runs of one. */
#include <stdio.h>
#include <stdlib.h>

#include "actions.h"
#include "cli/printable.h"
#include "command/text/table.h"

static const char experiments[] =
    "SELECT e.id, datetime(begun_s, 'unixepoch') || 'Z', "
    "(SELECT count(*) FROM run WHERE experiment = e.id), "
    "(SELECT count(*) FROM run WHERE experiment = e.id AND state = 'done'), "
    "(SELECT count(*) FROM run WHERE experiment = e.id AND state = 'failed'), "
    "(SELECT group_concat(DISTINCT workload) FROM run WHERE experiment = e.id),"
    "(SELECT group_concat(DISTINCT configuration) FROM run"
    " WHERE experiment = e.id) FROM experiment AS e WHERE ?1 = 0 ORDER BY id";

static const char *const experiment_headers[] = {
    ">ID", "BEGUN", ">RUNS", ">DONE", ">FAILED", "WORKLOADS", "CONFIGURATIONS",
    NULL,
};

static const char runs[] =
    "SELECT id, workload, configuration, iif(repetition > 0, repetition, "
    "'warm-up'), state, iif(wall_ns IS NULL, '-', printf('%.3f s', wall_ns / "
    "1e9)), ifnull(failure, '') FROM run WHERE experiment = ? ORDER BY id";

static const char *const run_headers[] = {
    ">ID", "WORKLOAD", "CONFIGURATION", ">REPETITION", "STATE", ">TIME",
    "FAILURE", NULL,
};

static int take(void *table, unsigned int nr, const char *const *text)
{
    unsigned int i;

    for (i = 0; i < nr; i++) {
        char cell[120];

        snprintf(cell, sizeof(cell), "%s", text[i]);
        printable(cell);
        table_add(table, cell);
    }

    return 0;
}

int runs_list(const struct arguments *args, struct store *store)
{
    bool one = args->nr_words > 0;
    int64_t experiment = one ? runs_experiment(store, args->word[0]) : 0;
    struct table *table;
    struct xensched_error err;
    int rc;

    if (one && !experiment)
        return EXIT_FAILED;
    table = table_new(one ? run_headers : experiment_headers);
    rc = store_rows(store, one ? runs : experiments, experiment, take, table,
                    &err);
    table_print(table);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}
