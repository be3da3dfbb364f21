/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follow.h - reads batches from a source until its end, a time limit, or Ctrl-C.
 */
#ifndef XENSCHED_FOLLOW_H
#define XENSCHED_FOLLOW_H

#include <xensched/source.h>

#include "command/arguments.h"

/* Results of the functions below, besides negative errno values. */
enum follow_answer {
    FOLLOW_ON,
    FOLLOW_END,
};

struct follow {
    struct xensched_source *source;
    struct xensched_area *area; /* of a live source, else NULL */
    double seconds;             /* end after this time; 0: no limit */
    int (*take)(void *data, const struct xensched_batch *batch,
                struct xensched_error *err);
    /*
     * Called whenever all rows have been read, with the time since the beginning.
     */
    int (*idle)(void *data, double seconds, struct xensched_error *err);
    void *data;
};

/* Returns the live source that the user selected; the default is the hypervisor. */
static inline const char *follow_source(const struct arguments *args)
{
    return args->source ? args->source : "hypervisor";
}

/*
 * Opens the area of a live @source read-only, for its rows.  Prints a message if no event is on.
 * Returns 0 or a negative errno value.
 */
int follow_open_live(struct follow *follow, const char *source,
                     struct xensched_error *err);

/* Does the same for any source, live or not. */
int follow_open(struct follow *follow, const char *spec,
                struct xensched_error *err);

/*
 * Makes SIGINT, SIGTERM and SIGHUP end the next (or present) follow_run() instead of the program; a
 * second signal ends the program.
 */
void follow_catch_signals(void);

/* Returns whether one of these signals came. */
bool follow_stopped(void);

/*
 * Returns 0 at the end, or a negative errno value; batches before an error have been delivered.
 */
int follow_run(struct follow *follow, struct xensched_error *err);

void follow_close(struct follow *follow);

#endif /* XENSCHED_FOLLOW_H */
