/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * action.h - the actions when a condition is met, one after the other, until one fails.
 *
 *   stop                     first: stops the guest at the mark itself
 *   pause, unpause           the guest
 *   snapshot FILE            writes the flight recorder's rows
 *   checkpoint FILE          as "xl save -c"
 *   stop-recording [SOCKET]  ends a recorder with --trigger
 *   journal TEXT             adds a line to the daemon's journal
 *   shell COMMAND            with XENSCHED_DOMAIN and so on
 */
#ifndef XENSCHED_ACTION_H
#define XENSCHED_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

/* An occasion: a condition that was met. */
struct occasion {
    const char *condition;
    const char *domain; /* "": no guest */
    int64_t domid;      /* -1: no guest */
    double value;
    const char *unit;   /* of @value; "": none */
    uint64_t count;     /* number of this occasion, from 1 */
    const char *socket; /* the daemon's */
};

/* Returns -EINVAL if there is no such action, or its argument is wrong. */
int action_check(const char *text, bool first, bool has_guest,
                 struct xensched_error *err);

/* Return whether it pauses, or stops, the guest. */
bool action_pauses(const char *text);
bool action_stops(const char *text);

int action_do(const char *text, const struct occasion *o,
              struct xensched_error *err);

#endif /* XENSCHED_ACTION_H */
