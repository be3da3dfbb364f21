/* SPDX-License-Identifier: GPL-2.0-only */
/* options.h - the command line of xenschedd. */
#ifndef XENSCHED_DAEMON_OPTIONS_H
#define XENSCHED_DAEMON_OPTIONS_H

#include "core.h"

/* Exit codes; the man page documents them. */
enum exit_code {
    EXIT_STOPPED = 0, /* stopped cleanly */
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_RUNNING = 4, /* another scheduler is running */
};

struct options {
    struct core_settings core;
    uint64_t interval_ms;
    uint64_t period_ms;
    uint32_t lease_ms; /* of all logs */
    bool replace_area;
    const char *control_path;
    const char *lock_path;
    const char *metrics_path; /* NULL: none */
};

/*
 * Returns -1 when the daemon is to be started, else the exit code: --help and
 * --version were served, or there was an error, which is on standard error.
 */
int options_parse(struct options *o, int argc, char **argv);

#endif /* XENSCHED_DAEMON_OPTIONS_H */
