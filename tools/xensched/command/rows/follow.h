/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follow.h - take batches from a source until there are no more, the time is
 * up, or the user presses Ctrl-C.
 */
#ifndef XENSCHED_FOLLOW_H
#define XENSCHED_FOLLOW_H

#include <xensched/source.h>

#include "command/arguments.h"

/* What the functions below return, besides negative errno values. */
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
     * Called whenever everything there was has been taken, some time after
     * the beginning.
     */
    int (*idle)(void *data, double seconds, struct xensched_error *err);
    void *data;
};

/* The live source that the user wants, by default the hypervisor. */
static inline const char *follow_source(const struct arguments *args)
{
    return args->source ? args->source : "hypervisor";
}

/*
 * Look at the area of a live @source: open it, read-only, for its rows.  Say
 * so if no event is on.  Returns 0 or a negative errno value.
 */
int follow_open_live(struct follow *follow, const char *source,
                     struct xensched_error *err);

/* The same for any source, also one that isn't live. */
int follow_open(struct follow *follow, const char *spec,
                struct xensched_error *err);

/*
 * SIGINT, SIGTERM and SIGHUP end the next (or present) follow_run() instead of
 * the program; a second one ends the program.
 */
void follow_catch_signals(void);

/* Did one of these come? */
bool follow_stopped(void);

/*
 * Returns 0 at the end, or a negative errno value; batches before an error
 * have been delivered.
 */
int follow_run(struct follow *follow, struct xensched_error *err);

void follow_close(struct follow *follow);

#endif /* XENSCHED_FOLLOW_H */
