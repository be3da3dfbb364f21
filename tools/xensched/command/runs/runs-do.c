/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched runs do: reads the plan, compares it with the host, and executes it, with a line on
 * stderr for each run.
 */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runs-actions.h"
#include "host/host-xen.h"
#include "base/file.h"
#include "runs/session.h"
#include "runs/shell.h"

/* Two programs that measure would disturb each other. */
#ifndef RUNS_LOCK
#define RUNS_LOCK "/run/xensched-runs.lock"
#endif

/* The affinities to restore. */
#ifndef RUNS_STATE
#define RUNS_STATE "/var/lib/xensched/runs.state"
#endif

void runs_make_folder_of(const char *path)
{
    char *copy = strdup(path);

    if (copy)
        mkdir(dirname(copy), 0755);
    free(copy);
}

static void tell_left(double seconds)
{
    if (seconds >= 5400)
        fprintf(stderr, "; about %.1f h left", seconds / 3600);
    else if (seconds >= 90)
        fprintf(stderr, "; about %.0f min left", seconds / 60);
    else if (seconds >= 0)
        fprintf(stderr, "; about %.0f s left", seconds);
}

static void print_progress(const struct session *s, const struct store_next *next,
                           const char *what, const char *why)
{
    if (why) {
        complain("run %" PRId64 "%s: %s", next->run, what, why);
        return;
    }
    fprintf(stderr, "%u of %u: run %" PRId64 ", %s, %s, ",
            s->progress.ended + 1, s->progress.runs, next->run, next->workload,
            next->configuration);
    if (next->repetition > 0)
        fprintf(stderr, "repetition %d", next->repetition);
    else
        fprintf(stderr, "warm-up");
    if (next->begun)
        fprintf(stderr, " (it had begun, and is repeated)");
    tell_left(s->left_s);
    fprintf(stderr, "\n");
}

static int print_outcome(const struct session *s)
{
    if (s->stopped) {
        complain("stopped: %u of %u runs of experiment %" PRId64 " are done; the same command "
                 "continues there", s->progress.ended, s->progress.runs, s->experiment);
        return EXIT_FAILED;
    }
    fprintf(stderr, "experiment %" PRId64 ": %u runs are done, %u of them "
            "failed\n", s->experiment, s->progress.ended, s->progress.failed);

    return s->progress.failed ? EXIT_FAILED : EXIT_OK;
}

/* Fails unless everything that the plan names exists. */
static int check_plan(const struct runs_plan *plan, const struct pinning *p,
                      const char *path, struct xensched_error *err)
{
    unsigned int i;
    int rc = 0;

    for (i = 0; i < plan->nr_configurations && !rc; i++) {
        struct xensched_error why;

        rc = pinning_check(p, &plan->configuration[i], &why);
        if (rc)
            xensched_fail(err, -rc, "%s: configuration '%s': %s", path,
                          plan->configuration[i].name, why.text);
    }

    return rc;
}

static int do_session(struct session *s, struct xensched_error *err)
{
    int rc = session_begin(s, err);

    if (rc)
        return rc;
    if (s->resumed)
        fprintf(stderr, "experiment %" PRId64 " continues: %u of its %u runs are done\n",
                s->experiment, s->progress.ended, s->progress.runs);
    else
        fprintf(stderr, "experiment %" PRId64 ": %u runs\n", s->experiment,
                s->progress.runs);

    return session_do(s, err);
}

/* Recordings are kept beside the database. */
static int do_plan(const struct arguments *args, struct store *store,
                   const struct runs_plan *plan, const struct host *host,
                   struct xensched_error *err)
{
    char folder[4000];
    struct pinning pinning;
    struct session s = {
        .store = store, .plan = plan, .pinning = &pinning, .folder = folder,
        .all = args->all, .tell = print_progress,
    };
    unsigned int restored;
    int rc;

    runs_make_folder_of(RUNS_STATE);
    rc = pinning_open(&pinning, host, RUNS_STATE, &restored, err);
    if (rc)
        return rc;
    if (restored)
        complain("note: %u domain%s, which a former process had left, got the "
                 "original affinity back", restored, restored == 1 ? "" : "s");
    snprintf(folder, sizeof(folder), "%s-recordings", store->path);
    rc = check_plan(plan, &pinning, args->word[0], err);
    if (!rc)
        rc = do_session(&s, err);
    pinning_close(&pinning);

    return rc ? rc : print_outcome(&s);
}

/* This process does not use the log. */
static int open_host(struct host_xen **host, struct xensched_error *err)
{
    static const struct choice nothing;
    int rc = host_xen_open(host, &nothing, NULL, NULL, NULL, err);

    if (rc) {
        *host = NULL;
        return rc;
    }
    rc = host_xen_connect(*host, err);
    if (rc) {
        host_xen_close(*host);
        *host = NULL;
    }

    return rc;
}

/* Without Xen, plans that place no guest can still be executed. */
static int do_on_host(const struct arguments *args, struct store *store,
                      const struct runs_plan *plan, struct xensched_error *err)
{
    struct host_xen *host;
    int rc = open_host(&host, err);

    if (rc && (runs_plan_places(plan) || !access(RUNS_STATE, F_OK)))
        return rc;
    rc = do_plan(args, store, plan, host ? host_xen_host(host) : NULL, err);
    host_xen_close(host);

    return rc;
}

static int do_stored(const struct arguments *args, const char *path,
                     const struct runs_plan *plan, struct xensched_error *err)
{
    struct store store;
    int rc;

    runs_make_folder_of(path);
    rc = store_open(&store, path, true, err);
    if (rc)
        return rc;
    rc = do_on_host(args, &store, plan, err);
    store_close(&store);

    return rc;
}

int runs_do(const struct arguments *args, const char *path)
{
    struct runs_plan plan;
    struct xensched_error err;
    int lock, rc = runs_plan_read(&plan, args->word[0], &err);

    stop_catch_signals();
    if (!rc) {
        lock = lock_take(RUNS_LOCK, "'xensched runs do'", &err);
        rc = lock < 0 ? lock : do_stored(args, path, &plan, &err);
        if (lock >= 0)
            close(lock);
    }
    runs_plan_free(&plan);
    if (rc < 0)
        complain("%s", err.text);

    return rc < 0 ? EXIT_FAILED : rc;
}
