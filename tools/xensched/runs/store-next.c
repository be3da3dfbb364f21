/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out where an experiment is: its next run. */
#include <stdio.h>

#include <sqlite3.h>

#include "store.h"

/* @st gives one row or none, which *found tells. */
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

static void copy(char *to, size_t size, sqlite3_stmt *st, int column)
{
    const unsigned char *text = sqlite3_column_text(st, column);

    snprintf(to, size, "%s", text ? (const char *)text : "");
}

/* The order of their ids is that in which they were planned. */
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
        copy(next->workload, sizeof(next->workload), st, 1);
        copy(next->configuration, sizeof(next->configuration), st, 2);
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
