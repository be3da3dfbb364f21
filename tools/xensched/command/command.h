/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - the definition of a subcommand.
 *
 * A new subcommand is a file that defines its struct command, and a row of the table in xensched.c,
 * or in that of another program: xensched-lab.c, xensched-fleet.c.
 */
#ifndef XENSCHED_COMMAND_H
#define XENSCHED_COMMAND_H

#include <sysexits.h>

#include "arguments.h"
#include "base/message.h"

/* Exit codes, documented in xensched(8). */
enum command_exit {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_WRONG_USE = 2,
    EXIT_NO_DAEMON = 3,
    EXIT_SLOWER = 4, /* of runs compare */
    EXIT_NOT_INSTALLED = EX_UNAVAILABLE,
};

struct option_row;

struct command {
    const char *name;
    const char *summary; /* a line of xensched --help */
    const char *help;    /* description, wrapped, without a newline at the end */
    uint64_t takes;      /* mask of ARGUMENT_*, see arguments.h */
    uint64_t needs;      /* the mandatory ones of these */
    /* Rows of options with another meaning here; ends without a name. */
    const struct option_row *own;
    /* Returns an exit code; after a message unless it is EXIT_OK. */
    int (*run)(const struct arguments *args);
};

/* The commands of this program; ends with NULL. */
extern const struct command *const commands[];

/* Commands of other packages' programs, which have the package's name; ends with NULL. */
struct elsewhere {
    const char *name, *summary, *program;
};

extern const struct elsewhere elsewhere[];

#define SUMMARY_RUNS    "measure workloads in configurations, and compare them"
#define SUMMARY_ON      "act when something happens on this host"
#define SUMMARY_SAMPLE  "save a guest at intervals that stand for a run"
#define SUMMARY_TRAFFIC "count what guests send over bridges, as metrics"
#define SUMMARY_FLEET   "print guests of different hosts that should share one"

extern const struct command command_status;
extern const struct command command_matrix;
extern const struct command command_plan;
extern const struct command command_explain;
extern const struct command command_waits;
extern const struct command command_top;
extern const struct command command_act;
extern const struct command command_advise;
extern const struct command command_hold;
extern const struct command command_release;
extern const struct command command_restore;
extern const struct command command_trial;
extern const struct command command_record;
extern const struct command command_replay;
extern const struct command command_dump;
extern const struct command command_timeline;
extern const struct command command_latency;
extern const struct command command_why;
extern const struct command command_roi;
extern const struct command command_advise_size;
extern const struct command command_runs;
extern const struct command command_on;
extern const struct command command_sample;
extern const struct command command_check;
extern const struct command command_calibrate;
extern const struct command command_allow_marks;
extern const struct command command_traffic;
extern const struct command command_fleet;

#endif /* XENSCHED_COMMAND_H */
