/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the database, creates its schema, and finds damage. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store.h"

/* "xsrn", which distinguishes it from other programs' databases. */
#define APPLICATION 0x7873726e
#define VERSION 1

/* The time for which another process may hold a transaction. */
#define BUSY_MS 2000

/* docs/measure/experiments.md describes the columns. */
static const char schema[] =
    "CREATE TABLE experiment(id INTEGER PRIMARY KEY, plan TEXT NOT NULL,"
    " seed INTEGER NOT NULL, begun_s INTEGER NOT NULL);"
    "CREATE TABLE session(id INTEGER PRIMARY KEY,"
    " experiment INTEGER NOT NULL REFERENCES experiment,"
    " begun_s INTEGER NOT NULL, host TEXT NOT NULL);"
    "CREATE TABLE run(id INTEGER PRIMARY KEY,"
    " experiment INTEGER NOT NULL REFERENCES experiment,"
    " workload TEXT NOT NULL, configuration TEXT NOT NULL,"
    " repetition INTEGER NOT NULL,"
    " state TEXT NOT NULL DEFAULT 'planned'"
    "  CHECK(state IN ('planned', 'begun', 'done', 'failed')),"
    " attempts INTEGER NOT NULL DEFAULT 0,"
    " session INTEGER REFERENCES session, begun_s INTEGER, wall_ns INTEGER,"
    " exit_status INTEGER, failure TEXT, clock_jump_ns INTEGER,"
    " steal_ns INTEGER, output TEXT, recording TEXT, recording_bytes INTEGER,"
    " recording_crc32 INTEGER, recorded_ns INTEGER, rows INTEGER,"
    " lost_rows INTEGER,"
    " UNIQUE(experiment, workload, configuration, repetition));"
    "CREATE TABLE value(run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL, value REAL NOT NULL, unit TEXT NOT NULL,"
    " PRIMARY KEY(run, name)) WITHOUT ROWID;"
    "CREATE TABLE domain(run INTEGER NOT NULL REFERENCES run,"
    " name TEXT NOT NULL, running_ns INTEGER NOT NULL,"
    " waiting_ns INTEGER NOT NULL, asleep_ns INTEGER NOT NULL,"
    " unknown_ns INTEGER NOT NULL, moves INTEGER NOT NULL);"
    "CREATE INDEX domain_run ON domain(run);"
    "CREATE TABLE place(run INTEGER NOT NULL REFERENCES run,"
    " domain TEXT NOT NULL, pcpu INTEGER NOT NULL, ns INTEGER NOT NULL);"
    "CREATE INDEX place_run ON place(run);"
    "CREATE TABLE pair(run INTEGER NOT NULL REFERENCES run,"
    " sender TEXT NOT NULL, receiver TEXT NOT NULL,"
    " notifications INTEGER NOT NULL, median_ns INTEGER NOT NULL,"
    " p99_ns INTEGER NOT NULL);"
    "CREATE INDEX pair_run ON pair(run);"
    "CREATE TABLE instead(run INTEGER NOT NULL REFERENCES run,"
    " domain TEXT NOT NULL, other TEXT NOT NULL, ns INTEGER NOT NULL);"
    "CREATE INDEX instead_run ON instead(run);"
    "CREATE TABLE span(run INTEGER NOT NULL REFERENCES run,"
    " domain TEXT NOT NULL, vcpu INTEGER NOT NULL, begin_ns INTEGER NOT NULL,"
    " ns INTEGER NOT NULL, state TEXT NOT NULL, pcpu INTEGER);"
    "CREATE INDEX span_run ON span(run);";

int store_fail(const struct store *s, const char *what,
               struct xensched_error *err)
{
    int code = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
    int system = s->db ? sqlite3_system_errno(s->db) : 0;

    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return xensched_fail(err, EBUSY, "cannot %s '%s': another process is "
                             "writing to it; try again when it has finished",
                             what, s->path);
    if (code == SQLITE_FULL || system == ENOSPC)
        return xensched_fail(err, ENOSPC, "cannot %s '%s': the disk is full; "
                             "what was finished before is in it", what,
                             s->path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return xensched_fail(err, EILSEQ, "cannot %s '%s': it is damaged, or "
                             "no database of runs (%s)", what, s->path,
                             sqlite3_errmsg(s->db));

    return xensched_fail(err, system ? system : EIO, "cannot %s '%s': %s%s%s",
                         what, s->path,
                         s->db ? sqlite3_errmsg(s->db) : "out of memory",
                         system ? ": " : "", system ? strerror(system) : "");
}

int store_prepare(const struct store *s, const char *sql,
                  struct sqlite3_stmt **statement, struct xensched_error *err)
{
    if (sqlite3_prepare_v2(s->db, sql, -1, statement, NULL) != SQLITE_OK)
        return store_fail(s, "read", err);

    return 0;
}

/* Reads the number that @sql, a PRAGMA, yields. */
static int ask_number(const struct store *s, const char *sql, int64_t *number,
                      struct xensched_error *err)
{
    sqlite3_stmt *statement;
    int rc = store_prepare(s, sql, &statement, err);

    if (rc)
        return rc;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        rc = store_fail(s, "read", err);
    sqlite3_finalize(statement);

    return rc;
}

static int execute_sql(const struct store *s, const char *what, const char *sql,
                       struct xensched_error *err)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    store_fail(s, what, err);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);

    return err->code;
}

/* Creates all or nothing; a second process finds the first one's schema. */
static int make_schema(const struct store *s, struct xensched_error *err)
{
    char *sql;
    int64_t version = 0;
    int rc = execute_sql(s, "make", "PRAGMA journal_mode = WAL;"
                         "BEGIN IMMEDIATE", err);

    if (!rc)
        rc = ask_number(s, "PRAGMA user_version", &version, err);
    if (rc)
        return rc;
    if (version)
        return execute_sql(s, "make", "COMMIT", err);
    sql = sqlite3_mprintf("%s PRAGMA application_id = %d;"
                          "PRAGMA user_version = %d; COMMIT",
                          schema, APPLICATION, VERSION);
    rc = execute_sql(s, "make", sql, err);
    sqlite3_free(sql);

    return rc;
}

static int check_version(const struct store *s, bool create,
                         struct xensched_error *err)
{
    int64_t application, version, objects;
    int rc = ask_number(s, "SELECT count(*) FROM sqlite_master", &objects, err);

    if (!rc && !objects && create)
        rc = make_schema(s, err);
    if (!rc)
        rc = ask_number(s, "PRAGMA application_id", &application, err);
    if (!rc)
        rc = ask_number(s, "PRAGMA user_version", &version, err);
    if (rc)
        return rc;
    if (application != APPLICATION || version < 1)
        return xensched_fail(err, EILSEQ, "'%s' is no database of runs; give "
                             "the name of one, or of no file", s->path);
    if (version > VERSION)
        return xensched_fail(err, EPROTO, "'%s' was made by a later xensched (version %d of "
                             "its tables; this one reads up to %d): use the later one",
                             s->path, (int)version, VERSION);

    return 0;
}

/* A file that was cut shows that only where something is missing. */
static int check_whole(const struct store *s, struct xensched_error *err)
{
    sqlite3_stmt *statement;
    int rc = store_prepare(s, "PRAGMA quick_check(1)", &statement, err);
    const char *text = "";

    if (rc)
        return rc;
    if (sqlite3_step(statement) == SQLITE_ROW)
        text = (const char *)sqlite3_column_text(statement, 0) ?: "";
    if (!*text)
        rc = store_fail(s, "read", err);
    else if (strcmp(text, "ok"))
        rc = xensched_fail(err, EILSEQ, "'%s' is damaged: %.200s; 'sqlite3 "
                           "FILE .recover' may save a part", s->path, text);
    sqlite3_finalize(statement);

    return rc;
}

/* Quotes a path for a URI. */
static char *quote_path(const char *path)
{
    static const char plain[] = "/._-~";
    sqlite3_str *text = sqlite3_str_new(NULL);

    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr(plain, *path))
            sqlite3_str_appendchar(text, 1, *path);
        else
            sqlite3_str_appendf(text, "%%%02X", (unsigned char)*path);

    return sqlite3_str_finish(text);
}

/* Returns whether FILE-wal has contents, which only a writing process leaves. */
static bool has_journal(const char *path)
{
    char *journal = sqlite3_mprintf("%s-wal", path);
    struct stat st;
    bool has = journal && !stat(journal, &st) && st.st_size;

    sqlite3_free(journal);

    return has;
}

/*
 * A reader of a database in WAL mode makes files beside it.  If it may not, the database is
 * complete without them, unless a process is writing to it or was killed; then SQLite reads it if
 * FILE-wal and FILE-shm both exist.
 */
static int open_unchanged(struct store *s, struct xensched_error *err)
{
    char *path, *uri;
    int code;

    store_close(s);
    if (has_journal(s->path))
        return xensched_fail(err, EACCES, "cannot read '%s': '%s-wal' has to be "
                             "merged into it first, which takes a folder that "
                             "you may write to; copy both files into one",
                             s->path, s->path);
    path = quote_path(s->path);
    uri = sqlite3_mprintf("file:%s?immutable=1", path);
    code = sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                           NULL);
    sqlite3_free(uri);
    sqlite3_free(path);

    return code == SQLITE_OK ? check_version(s, false, err)
                             : store_fail(s, "open", err);
}

static int open_file(struct store *s, bool create, struct xensched_error *err)
{
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    int rc;

    if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
        return store_fail(s, "open", err);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    rc = check_version(s, create, err);
    if (rc && !create && sqlite3_errcode(s->db) == SQLITE_CANTOPEN)
        rc = open_unchanged(s, err);

    return rc;
}

int store_open(struct store *s, const char *path, bool create,
               struct xensched_error *err)
{
    int rc;

    *s = (struct store){ .path = path };
    if (!create && access(path, F_OK))
        return xensched_fail(err, errno, "cannot open '%s': %s; 'xensched runs "
                             "do PLAN' makes it", path, strerror(errno));
    rc = open_file(s, create, err);
    if (!rc)
        rc = check_whole(s, err);
    if (!rc)
        rc = execute_sql(s, "open", "PRAGMA foreign_keys = ON;"
                         "PRAGMA synchronous = FULL", err);
    if (rc)
        store_close(s);

    return rc;
}

void store_close(struct store *s)
{
    sqlite3_close(s->db);
    s->db = NULL;
}
