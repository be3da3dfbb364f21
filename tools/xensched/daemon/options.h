/* SPDX-License-Identifier: GPL-2.0-only */
/* options.h - the daemon's options, from the command line and the configuration file. */
#ifndef XENSCHED_DAEMON_OPTIONS_H
#define XENSCHED_DAEMON_OPTIONS_H

#include "daemon/core/core.h"
#include "host/pmc.h"

/*
 * The operator's settings: the command line of xenschedd, and the configuration file, which it
 * overrides.
 */

/* Exit codes; the man page documents them. */
enum exit_code {
    EXIT_STOPPED = 0, /* stopped cleanly */
    EXIT_DAEMON_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_RUNNING = 4, /* another scheduler is running */
};

/* The default configuration file. */
#define OPTIONS_CONFIG "/etc/xen/xensched.conf"

#define OPTIONS_MAX 40

struct options {
    struct core_settings core;
    uint64_t interval_ms;
    uint64_t period_ms;
    uint32_t lease_ms; /* for all logs */
    struct pmc pmc;
    const char *llc;   /* see llc.h; NULL: what the host reports */
    const char *soft_pools; /* "NAME,NAME..."; NULL: none */
    bool replace_area;
    const char *control_path;
    const char *lock_path;
    const char *metrics_path; /* NULL: none */
    const char *reactions;    /* see react.h; NULL: none */
    uint32_t reaction_events; /* mask of the events that they need */

    /* Origins. */
    int argc;
    char **argv;
    const char *config_path;
    bool config_named;         /* --config names it, so it has to exist */
    char *value[OPTIONS_MAX];  /* of each setting; NULL: not set */
};

/*
 * @config is read if there is no --config, and if it exists; NULL: no file.  Returns -1 to start
 * the daemon, else the exit code: after --help or --version, or after an error, which is on
 * standard error.
 */
int options_parse(struct options *o, const char *config, int argc,
                  char **argv);

/*
 * Reads the configuration again, and applies the same command line to it.  Changes only settings in
 * *o that can change while the daemon runs; calls @restart with the key of each other setting that
 * has changed.  If the configuration has an error, nothing changes.
 */
int options_reload(struct options *o, void (*restart)(void *arg,
                                                      const char *key),
                   void *arg, struct xensched_error *err);

void options_free(struct options *o);

/* Creates the folders that do not exist, and logs failures. */
void make_folders(const struct options *o);

/* Returns @name in the folder of @path; the caller frees it. */
char *file_beside(const char *path, const char *name);

#endif /* XENSCHED_DAEMON_OPTIONS_H */
