/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * action.h - what is done when a condition is met: one action after the other, the
 * first that fails ends it.
 *
 *   stop                     first: the guest is stopped in the very moment
 *   pause, unpause           the guest
 *   snapshot FILE            of the flight recorder
 *   checkpoint FILE          as "xl save -c"
 *   stop-recording [SOCKET]  that was begun with --trigger
 *   journal TEXT             a line in the daemon's journal
 *   shell COMMAND            with XENSCHED_DOMAIN and so on
 */
#ifndef XENSCHED_ACTION_H
#define XENSCHED_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

/* What happened. */
struct occasion {
    const char *condition;
    const char *domain; /* ""; of no guest */
    int64_t domid;      /* -1: likewise */
    double value;
    const char *unit;   /* of that; "": it has none */
    uint64_t count;     /* the how many-th time it is */
    const char *socket; /* the daemon's */
};

/* -EINVAL: there is no such action, or it takes something else. */
int action_check(const char *text, bool first, bool has_guest,
                 struct xensched_error *err);

/* Does it pause the guest? */
bool action_pauses(const char *text);
bool action_stops(const char *text);

int action_do(const char *text, const struct occasion *o,
              struct xensched_error *err);

#endif /* XENSCHED_ACTION_H */
