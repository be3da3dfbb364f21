/* SPDX-License-Identifier: GPL-2.0-only */
/* options.h - the daemon's options, from the command line and the configuration file. */
#ifndef XENSCHED_DAEMON_OPTIONS_H
#define XENSCHED_DAEMON_OPTIONS_H

#include "daemon/core/core.h"
#include "host/pmc.h"

/*
 * What an operator has set: the command line of xenschedd, and the
 * configuration file, which it overrides.
 */

/* Exit codes; the man page documents them. */
enum exit_code {
    EXIT_STOPPED = 0, /* stopped cleanly */
    EXIT_DAEMON_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_RUNNING = 4, /* another scheduler is running */
};

/* What is read unless another one is named. */
#define OPTIONS_CONFIG "/etc/xen/xensched.conf"

#define OPTIONS_MAX 40

struct options {
    struct core_settings core;
    uint64_t interval_ms;
    uint64_t period_ms;
    uint32_t lease_ms; /* of all logs */
    struct pmc pmc;
    const char *llc;   /* see llc.h; NULL: what the host says */
    const char *soft_pools; /* "NAME,NAME..."; NULL: none */
    bool replace_area;
    const char *control_path;
    const char *lock_path;
    const char *metrics_path; /* NULL: none */
    const char *reactions;    /* see react.h; NULL: none */
    uint32_t reaction_events; /* which they need: mask */

    /* Where it comes from. */
    int argc;
    char **argv;
    const char *config_path;
    bool config_named;         /* by an option: then it has to be there */
    char *value[OPTIONS_MAX];  /* of each setting; NULL: it has none */
};

/*
 * @config is what is read without --config, if it is there; NULL: nothing.
 * Returns -1 when the daemon is to be started, else the exit code: --help and
 * --version were served, or there was an error, which is on standard error.
 */
int options_parse(struct options *o, const char *config, int argc,
                  char **argv);

/*
 * Read the configuration again, on top of it the same command line.  What can
 * change while the daemon runs is changed in *o (and what is not, isn't);
 * @restart is called with the key of each setting which has changed and
 * cannot.  If anything is wrong with the configuration nothing is changed.
 */
int options_reload(struct options *o, void (*restart)(void *arg,
                                                      const char *key),
                   void *arg, struct xensched_error *err);

void options_free(struct options *o);

/* Creates the folders that do not exist, and logs failures. */
void make_folders(const struct options *o);

/* @name in the folder of @path.  To be freed. */
char *file_beside(const char *path, const char *name);

#endif /* XENSCHED_DAEMON_OPTIONS_H */
