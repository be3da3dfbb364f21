/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads from the database: the progress of an experiment, and the figures of its runs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>
#include <sqlite3.h>

#include "base/json.h"
#include "store.h"

/* Reads one row of @st or none, which *found reports. */
static int one_row(const struct store *s, sqlite3_stmt *st, bool *found,
                   struct xensched_error *err)
{
    int rc = sqlite3_step(st);

    *found = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return 0;

    return store_fail(s, "read", err);
}

int store_unfinished(const struct store *s, const char *plan_text,
                     int64_t *experiment, struct xensched_error *err)
{
    bool found;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "SELECT experiment FROM run JOIN experiment AS e "
                           "ON e.id = experiment WHERE plan = ? AND state IN "
                           "('planned', 'begun') ORDER BY experiment DESC "
                           "LIMIT 1", &st, err);

    *experiment = 0;
    if (rc)
        return rc;
    sqlite3_bind_text(st, 1, plan_text, -1, SQLITE_STATIC);
    rc = one_row(s, st, &found, err);
    if (!rc && found)
        *experiment = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);

    return rc;
}

static void copy_column(char *to, size_t size, sqlite3_stmt *st, int column)
{
    const unsigned char *text = sqlite3_column_text(st, column);

    snprintf(to, size, "%s", text ? (const char *)text : "");
}

/* Ids are in the order of planning. */
int store_next(const struct store *s, int64_t experiment,
               struct store_next *next, struct xensched_error *err)
{
    bool found;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "SELECT id, workload, configuration, repetition, "
                           "state = 'begun' FROM run WHERE experiment = ? AND "
                           "state IN ('planned', 'begun') ORDER BY id LIMIT 1",
                           &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, experiment);
    rc = one_row(s, st, &found, err);
    if (!rc && found) {
        next->run = sqlite3_column_int64(st, 0);
        copy_column(next->workload, sizeof(next->workload), st, 1);
        copy_column(next->configuration, sizeof(next->configuration), st, 2);
        next->repetition = sqlite3_column_int(st, 3);
        next->begun = sqlite3_column_int(st, 4);
        rc = 1;
    }
    sqlite3_finalize(st);

    return rc;
}

int store_progress(const struct store *s, int64_t experiment,
                   struct store_progress *progress, struct xensched_error *err)
{
    bool found;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "SELECT count(*), total(state IN ('done', "
                           "'failed')), total(state = 'failed') FROM run WHERE "
                           "experiment = ?", &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, experiment);
    rc = one_row(s, st, &found, err);
    if (!rc)
        *progress = (struct store_progress){
            .runs = sqlite3_column_int(st, 0),
            .ended = sqlite3_column_int(st, 1),
            .failed = sqlite3_column_int(st, 2),
        };
    sqlite3_finalize(st);

    return rc;
}

/* Figures. */

#define MOST_COLUMNS 32

static const char *text_of(sqlite3_stmt *st, int column)
{
    const unsigned char *text = sqlite3_column_text(st, column);

    return text ? (const char *)text : "";
}

int store_rows(const struct store *s, const char *sql, int64_t number,
               int (*take)(void *arg, unsigned int nr, const char *const *text),
               void *arg, struct xensched_error *err)
{
    const char *text[MOST_COLUMNS];
    sqlite3_stmt *st;
    int rc = store_prepare(s, sql, &st, err), step = SQLITE_DONE, i, nr;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, number);
    nr = sqlite3_column_count(st);
    while (!rc && (step = sqlite3_step(st)) == SQLITE_ROW) {
        for (i = 0; i < nr && i < MOST_COLUMNS; i++)
            text[i] = text_of(st, i);
        rc = take(arg, i, text);
    }
    if (!rc && step != SQLITE_DONE)
        rc = store_fail(s, "read", err);
    sqlite3_finalize(st);

    return rc;
}

static json_object *value_json(sqlite3_stmt *st, int column)
{
    switch (sqlite3_column_type(st, column)) {
    case SQLITE_NULL:
        return NULL;
    case SQLITE_INTEGER:
        return json_object_new_int64(sqlite3_column_int64(st, column));
    case SQLITE_FLOAT:
        return json_new_exact(sqlite3_column_double(st, column));
    default:
        return json_new_text(text_of(st, column));
    }
}

static json_object *row_json(sqlite3_stmt *st)
{
    int i, nr = sqlite3_column_count(st);
    json_object *row;

    if (nr == 1)
        return value_json(st, 0);
    row = json_object_new_object();
    for (i = 0; i < nr; i++)
        json_object_object_add(row, sqlite3_column_name(st, i),
                               value_json(st, i));

    return row;
}

int store_json(const struct store *s, const char *sql, int64_t number,
               json_object **json, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, sql, &st, err), step;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, number);
    *json = json_object_new_array();
    while ((step = sqlite3_step(st)) == SQLITE_ROW)
        json_object_array_add(*json, row_json(st));
    if (step != SQLITE_DONE) {
        rc = store_fail(s, "read", err);
        json_object_put(*json);
    }
    sqlite3_finalize(st);

    return rc;
}

int store_choose(const struct store *s, int64_t *experiment,
                 struct xensched_error *err)
{
    int64_t wanted = *experiment;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "SELECT id FROM experiment WHERE ?1 IN (0, id) "
                           "ORDER BY id DESC LIMIT 1", &st, err);

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, wanted);
    switch (sqlite3_step(st)) {
    case SQLITE_ROW:
        *experiment = sqlite3_column_int64(st, 0);
        break;
    case SQLITE_DONE:
        rc = wanted
             ? xensched_fail(err, ENOENT, "'%s' has no experiment %" PRId64
                             "; 'xensched runs list' prints those that it has",
                             s->path, wanted)
             : xensched_fail(err, ENOENT, "'%s' has no experiment; 'xensched "
                             "runs do PLAN' makes one", s->path);
        break;
    default:
        rc = store_fail(s, "read", err);
    }
    sqlite3_finalize(st);

    return rc;
}

static const char samples[] =
    "WITH good AS (SELECT * FROM run WHERE experiment = ? AND state = 'done' "
    "AND repetition > 0) "
    "SELECT workload, configuration, 0 AS kind, 'wall time' AS metric,"
    " 's' AS unit, id AS id, wall_ns / 1e9 FROM good WHERE wall_ns NOT NULL "
    "UNION ALL SELECT workload, configuration, 1, name, unit, id, value"
    " FROM good JOIN value ON run = id "
    "UNION ALL SELECT workload, configuration, 2, name || ' ran', 's', id,"
    " running_ns / 1e9 FROM good JOIN domain ON run = id "
    "UNION ALL SELECT workload, configuration, 2, name || ' waited', 's', id,"
    " waiting_ns / 1e9 FROM good JOIN domain ON run = id "
    "UNION ALL SELECT workload, configuration, 2, name || ' moved', 'times',"
    " id, moves FROM good JOIN domain ON run = id "
    "ORDER BY workload, kind, metric, unit, configuration, id";

int store_samples(const struct store *s, int64_t experiment,
                  void (*take)(void *arg, const struct sample *sample),
                  void *arg, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, samples, &st, err), step;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, experiment);
    while ((step = sqlite3_step(st)) == SQLITE_ROW) {
        const struct sample sample = {
            .workload = text_of(st, 0),
            .configuration = text_of(st, 1),
            .kind = sqlite3_column_int(st, 2),
            .metric = text_of(st, 3),
            .unit = text_of(st, 4),
            .run = sqlite3_column_int64(st, 5),
            .value = sqlite3_column_double(st, 6),
        };

        take(arg, &sample);
    }
    if (step != SQLITE_DONE)
        rc = store_fail(s, "read", err);
    sqlite3_finalize(st);

    return rc;
}
