/* SPDX-License-Identifier: GPL-2.0-only */
/* list.c - xensched runs list: experiments, or the runs of one. */
#include <stdio.h>
#include <stdlib.h>

#include "actions.h"
#include "base/printable.h"
#include "command/text/table.h"
#include "base/json.h"

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

/* JSON. */

static const char experiments_json[] =
    "SELECT id, strftime('%Y-%m-%dT%H:%M:%SZ', begun_s, 'unixepoch') AS begun, "
    "(SELECT count(*) FROM run WHERE experiment = e.id) AS runs, "
    "(SELECT count(*) FROM run WHERE experiment = e.id AND state = 'done') AS done,"
    " (SELECT count(*) FROM run WHERE experiment = e.id AND state = 'failed') AS "
    "failed FROM experiment AS e WHERE ?1 = 0 ORDER BY id";

static const char runs_json[] =
    "SELECT id, workload, configuration, repetition, state, wall_ns, failure "
    "FROM run WHERE experiment = ? ORDER BY id";

static int add_names(json_object *o, const struct store *store,
                     struct xensched_error *err)
{
    int64_t id = json_number(o, "id", 0);
    int rc = runs_add_rows(o, "workloads", store, "SELECT DISTINCT workload FROM run "
                           "WHERE experiment = ? ORDER BY id", id, err);

    return rc ? rc : runs_add_rows(o, "configurations", store, "SELECT DISTINCT "
                                   "configuration FROM run WHERE experiment = ? "
                                   "ORDER BY id", id, err);
}

static int add_experiments(json_object *all, const struct store *store,
                           struct xensched_error *err)
{
    int rc = runs_add_rows(all, "experiments", store, experiments_json, 0, err);
    json_object *list = json_member(all, "experiments", json_type_array);
    size_t i;

    for (i = 0; !rc && i < json_object_array_length(list); i++)
        rc = add_names(json_object_array_get_idx(list, i), store, err);

    return rc;
}

static int list_json(const struct store *store, int64_t experiment,
                     struct xensched_error *err)
{
    json_object *all = json_object_new_object();
    int rc;

    if (experiment) {
        json_add_int(all, "experiment", experiment);
        rc = runs_add_rows(all, "runs", store, runs_json, experiment, err);
    } else {
        rc = add_experiments(all, store, err);
    }
    if (!rc)
        json_print(all);
    else
        json_object_put(all);

    return rc;
}

/* Text. */

static int list_text(const struct store *store, int64_t experiment,
                     struct xensched_error *err)
{
    struct table *table = table_new(experiment ? run_headers : experiment_headers);
    int rc = store_rows(store, experiment ? runs : experiments, experiment, take,
                        table, err);

    table_print(table);

    return rc;
}

int runs_list(const struct arguments *args, struct store *store)
{
    bool one = args->nr_words > 0;
    int64_t experiment = one ? runs_experiment(store, args->word[0]) : 0;
    struct xensched_error err;
    int rc;

    if (one && !experiment)
        return EXIT_FAILED;
    rc = (args->json ? list_json : list_text)(store, experiment, &err);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}
