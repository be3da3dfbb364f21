/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder.h - 'xensched record', by itself beside a workload: what is logged is
 * read by another process than the one that takes the time.
 */
#ifndef XENSCHED_RUNS_RECORDER_H
#define XENSCHED_RUNS_RECORDER_H

#include <sys/types.h>

#include <xensched/error.h>

struct recorder {
    pid_t pid;
    int said; /* what it writes to stderr */
    const char *file;
};

/* It reads the log when this returns 0.  @events: a list, or NULL: all. */
int recorder_start(struct recorder *r, const char *file, const char *events,
                   struct xensched_error *err);

/* @file is complete when this returns 0. */
int recorder_stop(struct recorder *r, struct xensched_error *err);

#endif /* XENSCHED_RUNS_RECORDER_H */
