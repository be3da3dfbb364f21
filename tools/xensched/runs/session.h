/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - executes a plan from where it was left to its end: in one process, on the present
 * host.
 */
#ifndef XENSCHED_RUNS_SESSION_H
#define XENSCHED_RUNS_SESSION_H

#include "pinning.h"
#include "store.h"

struct session {
    const struct store *store;
    const struct runs_plan *plan;
    struct pinning *pinning;
    const char *folder; /* for recordings */
    bool all;           /* keep each run like first repetitions */
    /* Reports progress. */
    void (*tell)(const struct session *s, const struct store_next *next,
                 const char *what, const char *why);
    int64_t experiment;
    bool resumed;
    struct store_progress progress;
    double left_s;      /* estimated time until the end; negative: unknown */
    bool stopped;
};

/*
 * Finds the plan's unfinished experiment or makes a new one, and sets experiment, resumed and
 * progress.
 */
int session_begin(struct session *s, struct xensched_error *err);

/*
 * Executes the runs that are left.  Calls tell() before each run (@why NULL), and after a run
 * that failed or printed a line that is no figure.  Returns 0 at the end, or after a signal, which
 * s->stopped reports.
 */
int session_do(struct session *s, struct xensched_error *err);

#endif /* XENSCHED_RUNS_SESSION_H */
