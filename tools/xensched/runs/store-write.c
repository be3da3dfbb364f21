/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records in the database when runs are planned, begun and done.  Each change is one transaction.
 */
#include <errno.h>
#include <stdarg.h>
#include <time.h>

#include <sqlite3.h>

#include "store.h"

/*
 * Binds the arguments by @types (i: int64_t, f: double, t: text or NULL), and executes the
 * statement, which can be used again afterwards.
 */
static int step_statement(const struct store *s, sqlite3_stmt *st,
                          struct xensched_error *err, const char *types, ...)
{
    va_list args;
    int at, rc;

    va_start(args, types);
    for (at = 1; *types; types++, at++) {
        if (*types == 'i')
            sqlite3_bind_int64(st, at, va_arg(args, int64_t));
        else if (*types == 'f')
            sqlite3_bind_double(st, at, va_arg(args, double));
        else
            sqlite3_bind_text(st, at, va_arg(args, const char *), -1,
                              SQLITE_TRANSIENT);
    }
    va_end(args);
    rc = sqlite3_step(st) == SQLITE_DONE ? 0 : store_fail(s, "write to", err);
    sqlite3_reset(st);

    return rc;
}

static int begin_transaction(const struct store *s, struct xensched_error *err)
{
    if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK)
        return 0;

    return store_fail(s, "write to", err);
}

/* Returns @rc, or the error of the transaction's end. */
static int end_transaction(const struct store *s, int rc, struct xensched_error *err)
{
    if (!rc && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        rc = store_fail(s, "write to", err);
    if (rc)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);

    return rc;
}

static int64_t now_s(void)
{
    return time(NULL);
}

static int add_runs(const struct store *s, const struct runs_plan *plan,
                    const struct order_item *items, int64_t experiment,
                    struct xensched_error *err)
{
    unsigned int nr = order_length(plan), i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO run(experiment, workload, "
                           "configuration, repetition) VALUES(?, ?, ?, ?)",
                           &st, err);

    if (rc)
        return rc;
    for (i = 0; i < nr && !rc; i++)
        rc = step_statement(s, st, err, "itti", experiment,
                            plan->workload[items[i].workload].name,
                            plan->configuration[items[i].configuration].name,
                            (int64_t)items[i].repetition);
    sqlite3_finalize(st);

    return rc;
}

static int add_experiment(const struct store *s, const char *plan, uint32_t seed,
                          int64_t *experiment, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO experiment(plan, seed, begun_s) "
                           "VALUES(?, ?, ?)", &st, err);

    if (rc)
        return rc;
    rc = step_statement(s, st, err, "tii", plan, (int64_t)seed, now_s());
    sqlite3_finalize(st);
    *experiment = sqlite3_last_insert_rowid(s->db);

    return rc;
}

int store_plan(const struct store *s, const struct runs_plan *plan, uint32_t seed,
               const struct order_item *items, int64_t *experiment,
               struct xensched_error *err)
{
    int rc = begin_transaction(s, err);

    if (rc)
        return rc;
    rc = add_experiment(s, plan->text, seed, experiment, err);
    if (!rc)
        rc = add_runs(s, plan, items, *experiment, err);

    return end_transaction(s, rc, err);
}

int store_session(const struct store *s, int64_t experiment, const char *host,
                  int64_t *session, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO session(experiment, begun_s, host) "
                           "VALUES(?, ?, ?)", &st, err);

    if (rc)
        return rc;
    rc = step_statement(s, st, err, "iit", experiment, now_s(), host);
    *session = sqlite3_last_insert_rowid(s->db);
    sqlite3_finalize(st);

    return rc;
}

int store_begin(const struct store *s, int64_t run, int64_t session,
                struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, "UPDATE run SET state = 'begun', attempts = "
                           "attempts + 1, session = ?, begun_s = ? WHERE id = "
                           "?", &st, err);

    if (rc)
        return rc;
    rc = step_statement(s, st, err, "iii", session, now_s(), run);
    sqlite3_finalize(st);

    return rc;
}

static int finish_run(const struct store *s, int64_t run,
                      const struct run_outcome *o, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, "UPDATE run SET state = ?, failure = ?, "
                           "exit_status = ?, wall_ns = ?, clock_jump_ns = ?, "
                           "steal_ns = ?, output = ? WHERE id = ?", &st, err);

    if (rc)
        return rc;
    rc = step_statement(s, st, err, "ttiiiiti", o->failure ? "failed" : "done",
                        o->failure ? o->failure : o->refused, (int64_t)o->exit_status,
                        (int64_t)o->wall_ns,
                        o->clock_jump_ns, (int64_t)o->steal_ns, o->output, run);
    sqlite3_finalize(st);

    return rc;
}

static int add_recording(const struct store *s, int64_t run,
                         const struct run_outcome *o, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, "UPDATE run SET recording = ?, recording_bytes = "
                           "?, recording_crc32 = ?, recorded_ns = ?, rows = ?, "
                           "lost_rows = ? WHERE id = ?", &st, err);

    if (rc)
        return rc;
    rc = step_statement(s, st, err, "tiiiiii", o->recording, (int64_t)o->recording_bytes,
                        (int64_t)o->recording_crc32, (int64_t)o->schedule.length_ns,
                        (int64_t)o->schedule.rows, (int64_t)o->schedule.lost_rows, run);
    sqlite3_finalize(st);

    return rc;
}

static int add_values(const struct store *s, int64_t run,
                      const struct run_outcome *o, struct xensched_error *err)
{
    unsigned int i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO value VALUES(?, ?, ?, ?)",
                           &st, err);

    if (rc)
        return rc;
    for (i = 0; i < o->nr_values && !rc; i++)
        rc = step_statement(s, st, err, "itft", run, o->value[i].name, o->value[i].value,
                            o->value[i].unit);
    sqlite3_finalize(st);

    return rc;
}

static int add_domains(const struct store *s, int64_t run,
                       const struct schedule *h, struct xensched_error *err)
{
    size_t i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO domain VALUES(?, ?, ?, ?, ?, ?, ?)",
                           &st, err);

    if (rc)
        return rc;
    for (i = 0; i < h->nr_domains && !rc; i++) {
        const struct schedule_domain *d = &h->domain[i];

        /* Other domains may name a domain without times, such as the idle vCPUs. */
        if (!(d->running_ns + d->waiting_ns + d->asleep_ns + d->unknown_ns))
            continue;
        rc = step_statement(s, st, err, "itiiiii", run, d->name, (int64_t)d->running_ns,
                            (int64_t)d->waiting_ns, (int64_t)d->asleep_ns,
                            (int64_t)d->unknown_ns, (int64_t)d->moves);
    }
    sqlite3_finalize(st);

    return rc;
}

static int add_places(const struct store *s, int64_t run,
                      const struct schedule *h, struct xensched_error *err)
{
    size_t i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO place VALUES(?, ?, ?, ?)", &st, err);

    if (rc)
        return rc;
    for (i = 0; i < h->nr_places && !rc; i++)
        rc = step_statement(s, st, err, "itii", run, h->domain[h->place[i].domain].name,
                            (int64_t)h->place[i].pcpu, (int64_t)h->place[i].ns);
    sqlite3_finalize(st);

    return rc;
}

static int add_pairs(const struct store *s, int64_t run,
                     const struct schedule *h, struct xensched_error *err)
{
    size_t i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO pair VALUES(?, ?, ?, ?, ?, ?)", &st,
                           err);

    if (rc)
        return rc;
    for (i = 0; i < h->nr_pairs && !rc; i++) {
        const struct schedule_pair *p = &h->pair[i];

        rc = step_statement(s, st, err, "ittiii", run, h->domain[p->from].name,
                            h->domain[p->to].name, (int64_t)p->notifications,
                            (int64_t)p->median_ns, (int64_t)p->p99_ns);
    }
    sqlite3_finalize(st);

    return rc;
}

static int add_insteads(const struct store *s, int64_t run,
                        const struct schedule *h, struct xensched_error *err)
{
    size_t i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO instead VALUES(?, ?, ?, ?)", &st,
                           err);

    if (rc)
        return rc;
    for (i = 0; i < h->nr_insteads && !rc; i++)
        rc = step_statement(s, st, err, "itti", run,
                            h->domain[h->instead[i].domain].name,
                            h->domain[h->instead[i].other].name,
                            (int64_t)h->instead[i].ns);
    sqlite3_finalize(st);

    return rc;
}

static int add_spans(const struct store *s, int64_t run,
                     const struct schedule *h, struct xensched_error *err)
{
    size_t i;
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO span VALUES(?, ?, ?, ?, ?, ?, "
                           "nullif(?, -1))", &st, err);

    if (rc)
        return rc;
    for (i = 0; i < h->nr_spans && !rc; i++) {
        const struct schedule_span *p = &h->span[i];

        rc = step_statement(s, st, err, "itiiiti", run, h->domain[p->domain].name,
                            (int64_t)p->vcpu, (int64_t)p->begin_ns, (int64_t)p->ns,
                            p->state, (int64_t)p->pcpu);
    }
    sqlite3_finalize(st);

    return rc;
}

int store_finish(const struct store *s, int64_t run, const struct run_outcome *o,
                 struct xensched_error *err)
{
    static int (*const add[])(const struct store *, int64_t,
                              const struct schedule *,
                              struct xensched_error *) = {
        add_domains, add_places, add_pairs, add_insteads, add_spans,
    };
    unsigned int i;
    int rc = begin_transaction(s, err);

    if (rc)
        return rc;
    rc = finish_run(s, run, o, err);
    if (!rc)
        rc = add_values(s, run, o, err);
    if (!rc && o->recording)
        rc = add_recording(s, run, o, err);
    for (i = 0; i < sizeof(add) / sizeof(add[0]) && !rc; i++)
        rc = add[i](s, run, &o->schedule, err);

    return end_transaction(s, rc, err);
}

/* Imported runs. */

static int add_done(const struct store *s, int64_t experiment, int64_t session,
                    const struct store_done *run, struct xensched_error *err)
{
    sqlite3_stmt *st;
    int rc = store_prepare(s, "INSERT INTO run(experiment, workload, configuration, "
                           "repetition, state, attempts, session, begun_s) "
                           "VALUES(?, ?, ?, ?, 'done', 1, ?, ?)", &st, err);

    if (rc)
        return rc;
    rc = step_statement(s, st, err, "ittiii", experiment, run->workload, run->configuration,
                        (int64_t)run->repetition, session, run->begun_s);
    sqlite3_finalize(st);

    return rc ? rc : add_values(s, sqlite3_last_insert_rowid(s->db),
                                &run->outcome, err);
}

int store_import(const struct store *s, const char *plan, uint32_t seed,
                 const char *host, const struct store_done *run, size_t nr,
                 int64_t *experiment, struct xensched_error *err)
{
    int64_t session = 0;
    size_t i;
    int rc = begin_transaction(s, err);

    if (rc)
        return rc;
    rc = add_experiment(s, plan, seed, experiment, err);
    if (!rc)
        rc = store_session(s, *experiment, host, &session, err);
    for (i = 0; i < nr && !rc; i++)
        rc = add_done(s, *experiment, session, &run[i], err);

    return end_transaction(s, rc, err);
}
