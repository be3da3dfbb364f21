/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes the runs of an experiment.
 *
 * The database records a run before it begins, and its results in one transaction: a run without an
 * end in the database is repeated.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "host-state.h"
#include "base/alloc.h"
#include "run.h"
#include "session.h"
#include "shell.h"

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec + now.tv_nsec / 1e9;
}

static int plan_anew(struct session *s, struct xensched_error *err)
{
    struct order_item *items = need_memory(order_length(s->plan),
                                           sizeof(*items));
    uint32_t seed = 0;
    int rc;

    if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        seed = time(NULL);
    order_make(s->plan, seed, items);
    rc = store_plan(s->store, s->plan, seed, items, &s->experiment, err);
    free(items);

    return rc;
}

int session_begin(struct session *s, struct xensched_error *err)
{
    int rc = store_unfinished(s->store, s->plan->text, &s->experiment, err);

    s->resumed = s->experiment;
    if (!rc && !s->resumed)
        rc = plan_anew(s, err);

    return rc ? rc : store_progress(s->store, s->experiment, &s->progress, err);
}

/* The environment tells commands to which run they belong: docs/measure/experiments.md. */
static void tell_commands(const struct store_next *next)
{
    char number[24];

    setenv("XENSCHED_WORKLOAD", next->workload, 1);
    setenv("XENSCHED_CONFIGURATION", next->configuration, 1);
    snprintf(number, sizeof(number), "%" PRId64, next->run);
    setenv("XENSCHED_RUN", number, 1);
    snprintf(number, sizeof(number), "%d", next->repetition);
    setenv("XENSCHED_REPETITION", number, 1);
}

static void tell_outcome(struct session *s, const struct store_next *next,
                         const struct run_outcome *o)
{
    if (o->failure || o->refused)
        s->tell(s, next, o->failure ? " failed" : "", o->failure ?: o->refused);
}

/* The first repetition of each workload and configuration is kept in full. */
static int do_run(struct session *s, const struct store_next *next,
                  int64_t session, struct xensched_error *err)
{
    char recording[4096];
    struct run run = {
        .workload = plan_workload(s->plan, next->workload),
        .configuration = plan_configuration(s->plan, next->configuration),
        .recording = recording,
        .full = s->all || next->repetition == 1,
    };
    struct xensched_error misplaced;
    int rc = store_begin(s->store, next->run, session, err), pinned;

    if (rc)
        return rc;
    snprintf(recording, sizeof(recording), "%s/%" PRId64 ".rows", s->folder,
             next->run);
    tell_commands(next);
    pinned = run_do(&run, s->pinning, &misplaced);
    s->stopped = run.stopped;
    if (!run.stopped)
        rc = store_finish(s->store, next->run, &run.outcome, err);
    if (!rc && !run.stopped)
        tell_outcome(s, next, &run.outcome);
    run_free(&run);
    if (!rc && pinned)
        *err = misplaced;

    return rc ? rc : pinned;
}

/* Assumes that the rest lasts as long as the runs of this session did on average. */
static void estimate_rest(struct session *s, double begin_s, unsigned int ended)
{
    unsigned int done = s->progress.ended - ended;

    s->left_s = -1;
    if (done)
        s->left_s = (now_s() - begin_s) / done *
                    (s->progress.runs - s->progress.ended);
}

static int do_all(struct session *s, int64_t session,
                  struct xensched_error *err)
{
    double begin_s = now_s();
    unsigned int ended = s->progress.ended;
    struct store_next next;
    int rc;

    while ((rc = store_next(s->store, s->experiment, &next, err)) > 0) {
        estimate_rest(s, begin_s, ended);
        s->tell(s, &next, NULL, NULL);
        rc = do_run(s, &next, session, err);
        if (!rc)
            rc = store_progress(s->store, s->experiment, &s->progress, err);
        s->stopped |= stop_count() > 0;
        if (rc || s->stopped)
            break;
    }

    return rc;
}

int session_do(struct session *s, struct xensched_error *err)
{
    int64_t session;
    char *host;
    int rc = fingerprint_make(s->pinning, &host, err);

    if (rc)
        return rc;
    rc = store_session(s->store, s->experiment, host, &session, err);
    free(host);
    if (!rc && runs_plan_records(s->plan) && mkdir(s->folder, 0700) &&
        errno != EEXIST)
        rc = xensched_fail(err, errno, "cannot make the folder '%s' for "
                           "recordings: %s", s->folder, strerror(errno));

    return rc ? rc : do_all(s, session, err);
}
