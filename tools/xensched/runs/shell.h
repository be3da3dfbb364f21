/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shell.h - runs a shell command of an experiment, with its time and its output, and counts
 * signals that interrupt the experiment.
 */
#ifndef XENSCHED_RUNS_SHELL_H
#define XENSCHED_RUNS_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

/*
 * A shell command of a plan, with its time and its output.
 *
 * It is a session of its own, without a terminal, which has ended when shell_run() returns, except
 * for what it left in the background.  It ends when this process ends, even by kill -9.
 */

/* The most bytes of output that are kept: the last ones. */
#define SHELL_OUTPUT (1U << 20)

struct shell_command {
    const char *text;
    /*
     * Each line, and each command of a pipeline, must succeed; the first one that
     * fails ends it (sh -e -o pipefail).  Otherwise the last command's status counts.
     */
    bool strict;
    int stops;      /* the command is ended after more signals than this (below) */
    /* Receives all of the output, in parts, without NUL bytes; may be NULL. */
    void (*take)(void *arg, const char *part, size_t length);
    void *arg;
};

struct shell {
    int status;     /* as in a shell: 128 + N for signal N */
    uint64_t wall_ns;
    char *output;   /* the end of stdout and stderr; without NUL bytes */
    size_t length;
    size_t dropped; /* number of bytes before that */
    bool stopped;
};

/*
 * Returns 0 when the command has run, with any status; the caller frees the result with
 * shell_free().
 */
int shell_run(struct shell *shell, const struct shell_command *command,
              struct xensched_error *err);
void shell_free(struct shell *shell);

/*
 * Signals during runs: SIGINT, SIGTERM and SIGHUP are counted, and end nothing by themselves,
 * because something always has to be restored.
 */

void stop_catch_signals(void);

/* Returns the number of signals. */
int stop_count(void);

#endif /* XENSCHED_RUNS_SHELL_H */
