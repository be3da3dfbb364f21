/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - lists each setting of the operator once; see option.h.  options.c interprets the
 * values.
 */
#ifndef XENSCHED_DAEMON_SETTINGS_H
#define XENSCHED_DAEMON_SETTINGS_H

#include "cli/option.h"

enum id {
    CONFIG, MODE, POLICIES, LEAST_GAIN, MISSES, SHARE, MIN_RATE, CONFIRM, SETTLE,
    STAY, QUIET, MAX_MOVES, AFFINITY,
    SOFT_WEIGHT, STEER, SOFT_POOLS, RULES, HALF_LIFE, INTERVAL, PERIOD, LOG,
    LOG_SIZES, PMC, BUDGET, LEASE, LLC, REPLACE_AREA, CONTROL, STATE, JOURNAL,
    JOURNAL_SIZE, DISTANCES, LOCK, METRICS, REACTIONS,
    VERSION, HELP, NR_IDS,
};

extern const struct option_row settings[NR_IDS];
extern const struct option_table settings_table;

/* Prints to standard output. */
void settings_print_help(void);

#endif /* XENSCHED_DAEMON_SETTINGS_H */
