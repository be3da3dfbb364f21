/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shell.h - a shell command of a plan, with its time and its output.
 *
 * It is a session of its own, without a terminal, which has ended when
 * shell_run() returns, but for what it has left in the background; and it ends
 * when this process ends, even by kill -9.
 */
#ifndef XENSCHED_RUNS_SHELL_H
#define XENSCHED_RUNS_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

/* More output is counted and thrown away. */
#define SHELL_OUTPUT (1U << 20)

struct shell {
    int status;     /* as a shell has it: 128 + N for signal N */
    uint64_t wall_ns;
    char *output;   /* of stdout and stderr; without NUL bytes */
    size_t length, dropped;
    bool stopped;
};

/*
 * Run @command; when more than @stops signals have come (stop.h), end it.  To be
 * freed with shell_free() if this returns 0, which says nothing of the status.
 */
int shell_run(struct shell *shell, const char *command, int stops,
              struct xensched_error *err);
void shell_free(struct shell *shell);

#endif /* XENSCHED_RUNS_SHELL_H */
