/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched runs list and show: list experiments and the runs of one, and show all that the database
 * has of one run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/option.h"
#include "command/text/table.h"
#include "runs-actions.h"

/* List. */

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

static int add_row(void *table, unsigned int nr, const char *const *text)
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
    int rc = store_rows(store, experiment ? runs : experiments, experiment, add_row,
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

/* Show. */

/* Lines "name: value"; those without a value are left out. */
static const char *const facts[] = {
    "SELECT 'experiment', experiment, 'workload', workload, 'configuration', "
    "configuration, 'repetition', iif(repetition > 0, repetition, 'warm-up'), "
    "'state', state, 'begun', datetime(begun_s, 'unixepoch') || 'Z', 'attempts',"
    " nullif(attempts, 1), 'failure', failure, 'exit status', nullif(exit_status"
    ", -1) FROM run WHERE id = ?",
    "SELECT 'wall time', printf('%.6f s', wall_ns / 1e9), 'clock was set by', "
    "iif(abs(clock_jump_ns) < 1000000, NULL, printf('%.3f s', clock_jump_ns / "
    "1e9)), 'steal', iif(steal_ns, printf('%.3f s', steal_ns / 1e9), NULL) FROM "
    "run WHERE id = ? AND wall_ns NOT NULL",
    "SELECT 'recording', recording, 'size', recording_bytes || ' bytes', "
    "'CRC-32', printf('%08x', recording_crc32), 'rows', rows, 'lost rows', "
    "lost_rows FROM run WHERE id = ? AND recording NOT NULL",
    "SELECT name, printf('%!.15g %s', value, unit) FROM value WHERE run = ?",
    "SELECT name, printf('ran %.6f s, waited %.6f s, slept %.6f s, not known "
    "%.6f s, moved %d times', running_ns / 1e9, waiting_ns / 1e9, asleep_ns / "
    "1e9, unknown_ns / 1e9, moves) FROM domain WHERE run = ? ORDER BY rowid",
    "SELECT domain || ' on pCPU ' || pcpu, printf('%.6f s', ns / 1e9) FROM place "
    "WHERE run = ? ORDER BY domain, ns DESC",
    "SELECT sender || ' to ' || receiver, printf('%d notifications, to run in "
    "%.1f us (half of them), %.1f us (99 %%)', notifications, median_ns / 1e3, "
    "p99_ns / 1e3) FROM pair WHERE run = ? ORDER BY rowid",
    "SELECT 'where ' || domain || ' waited ran ' || other, printf('%.6f s', ns /"
    " 1e9) FROM instead WHERE run = ? ORDER BY ns DESC",
    "SELECT 'spans of time', nullif(count(*), 0) FROM span WHERE run = ?",
};

static const char host[] =
    "SELECT host, output, recording FROM run JOIN session ON session.id = "
    "session WHERE run.id = ?";

static int print_facts(void *arg, unsigned int nr, const char *const *text)
{
    bool *any = arg;
    unsigned int i;

    *any = true;
    for (i = 0; i + 1 < nr; i += 2) {
        char line[600];

        if (!*text[i + 1])
            continue;
        snprintf(line, sizeof(line), "%s: %s", text[i], text[i + 1]);
        printable(line);
        printf("%s\n", line);
    }

    return 0;
}

static void print_lines(const char *heading, const char *text)
{
    if (!*text)
        return;
    printf("\n%s:\n", heading);
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);

        if (line)
            printable(line);
        printf("    %s\n", line ? line : "");
        free(line);
        text += length + (text[length] == '\n');
    }
}

/* Prints the command that shows the timeline of a kept recording. */
static int print_host(void *arg, unsigned int nr, const char *const *text)
{
    (void)arg;
    (void)nr;
    print_lines("host", text[0]);
    print_lines("output", text[1]);
    if (*text[2] && !access(text[2], R_OK))
        printf("\nThe recording is there: xensched timeline %s\n", text[2]);

    return 0;
}

static int no_run(const struct store *store, int64_t run,
                  struct xensched_error *err)
{
    return xensched_fail(err, ENOENT, "'%s' has no run %" PRId64 "; 'xensched runs list "
                         "EXPERIMENT' prints its runs", store->path, run);
}

static int show_text(const struct store *store, int64_t run,
                     struct xensched_error *err)
{
    bool any = false;
    unsigned int i;
    int rc = 0;

    for (i = 0; i < sizeof(facts) / sizeof(facts[0]) && !rc; i++) {
        rc = store_rows(store, facts[i], run, print_facts, &any, err);
        if (!rc && !any)
            return no_run(store, run, err);
    }

    return rc ? rc : store_rows(store, host, run, print_host, NULL, err);
}

/* JSON. */

static const char run_json[] =
    "SELECT run.id AS id, run.experiment AS experiment, workload, configuration, "
    "repetition, state, attempts, strftime('%Y-%m-%dT%H:%M:%SZ', run.begun_s, "
    "'unixepoch') AS begun, wall_ns, clock_jump_ns, steal_ns, nullif(exit_status, "
    "-1) AS exit_status, failure, output, recording, recording_bytes, "
    "recording_crc32, recorded_ns, rows, lost_rows, (SELECT count(*) FROM span "
    "WHERE span.run = run.id) AS spans, host FROM run LEFT JOIN session ON "
    "session.id = session WHERE run.id = ?";

static const struct {
    const char *key, *sql;
} parts[] = {
    { "values", "SELECT name, value, unit FROM value WHERE run = ?" },
    { "domains", "SELECT name, running_ns, waiting_ns, asleep_ns, unknown_ns, moves "
      "FROM domain WHERE run = ? ORDER BY rowid" },
    { "places", "SELECT domain, pcpu, ns FROM place WHERE run = ? ORDER BY domain, "
      "ns DESC" },
    { "pairs", "SELECT sender, receiver, notifications, median_ns, p99_ns FROM pair "
      "WHERE run = ? ORDER BY rowid" },
    { "waited_for", "SELECT domain, other, ns FROM instead WHERE run = ? ORDER BY ns "
      "DESC" },
};

static int add_parts(json_object *o, const struct store *store, int64_t run,
                     struct xensched_error *err)
{
    unsigned int i;
    int rc = 0;

    for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && !rc; i++)
        rc = runs_add_rows(o, parts[i].key, store, parts[i].sql, run, err);

    return rc;
}

static int show_json(const struct store *store, int64_t run,
                     struct xensched_error *err)
{
    json_object *rows, *o;
    int rc = store_json(store, run_json, run, &rows, err);

    if (rc)
        return rc;
    o = json_object_get(json_object_array_get_idx(rows, 0));
    json_object_put(rows);
    rc = o ? add_parts(o, store, run, err) : no_run(store, run, err);
    if (!rc)
        json_print(o);
    else
        json_object_put(o);

    return rc;
}

int runs_show(const struct arguments *args, struct store *store)
{
    struct xensched_error err;
    uint64_t run;
    int rc;

    if (!option_number(args->word[0], 1, INT32_MAX, &run)) {
        complain("'%s' is not the ID of a run; 'xensched runs list EXPERIMENT' "
                 "prints them", args->word[0]);
        return EXIT_FAILED;
    }
    rc = (args->json ? show_json : show_text)(store, run, &err);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}
