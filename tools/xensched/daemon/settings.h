/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - what an operator can set, each once: a row of this table is an
 * option, a line of --help and a key of the configuration.  What a value means
 * is in options.c.
 */
#ifndef XENSCHED_DAEMON_SETTINGS_H
#define XENSCHED_DAEMON_SETTINGS_H

#include <stdbool.h>

enum id {
    CONFIG, MODE, POLICIES, SHARE, MIN_RATE, CONFIRM, SETTLE,
    STAY, QUIET, MAX_MOVES, AFFINITY,
    SOFT_WEIGHT, SOFT_POOLS, HALF_LIFE, INTERVAL, PERIOD, LOG, BUDGET, LEASE,
    LLC, REPLACE_AREA, CONTROL, STATE, JOURNAL, JOURNAL_SIZE, LOCK, METRICS,
    VERSION, HELP, NR_IDS,
};

/*
 * All that is known of a setting, for the command line, --help and the
 * configuration; tests hold the manual pages against it.  What has no key is
 * an option only, what has no value is a flag.  What is live can change while
 * the daemon runs.
 */
struct setting {
    const char *option, *value, *key, *standard;
    const char *takes; /* in words */
    const char *help;  /* the default, if there is one, is added */
    bool live;
};

extern const struct setting settings[NR_IDS];

/* To standard output. */
void settings_print_help(void);

#endif /* XENSCHED_DAEMON_SETTINGS_H */
