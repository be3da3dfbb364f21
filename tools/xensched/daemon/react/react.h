/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * react.h - reactions of a host: their clients, the domains that they concern now, and the
 * guests that have to be stopped for them and resumed.
 *
 * The daemon finds out that a condition is met.  The client that added the reaction does its
 * actions, or, for a reaction of the configuration, a process "xensched on now".  A process
 * that dies in the middle of its actions leaves no guest paused.
 */
#ifndef XENSCHED_DAEMON_REACT_H
#define XENSCHED_DAEMON_REACT_H

#include <ev.h>

#include "daemon/socket/control-socket.h"
#include "daemon/core/core.h"
#include "daemon/sources/log-sources.h"
#include "reaction/reaction.h"

struct react {
    struct reactions list;
    struct core *core;
    const struct log_sources *sources;
    struct control *control;
    struct ev_loop *loop;
    bool changed;    /* the logs have to be read at once */
};

/* A requested reaction. */
struct react_settings {
    const char *condition;
    struct reaction_limits limits;
    bool stop;      /* stop the guest at the moment when it meets the condition */
    bool pauses;    /* the guest is stopped, or an action pauses it */
    bool dry_run;   /* only count and report */
    const char *actions; /* of the configuration, separated by ;  NULL: a client performs them */
};

/* Call this before rows are read.  Resumes guests that a former daemon has left stopped. */
void react_init(struct react *react, struct core *core, const struct log_sources *sources,
                struct control *control, struct ev_loop *loop);

/*
 * Adds the reactions of the configuration, one per line:
 * [dry-run] [times=N] [every=SECONDS] CONDITION do ACTION[; ACTION]...
 * If this host cannot have one of them, the daemon logs that and continues without it.
 */
void react_configure(struct react *react, const char *lines);

/* Checks @lines, and sets *events to the mask of events that they need. */
int react_check(const char *lines, uint32_t *events, struct xensched_error *err);

/* Adds a reaction for the client that is being answered.  Returns its number. */
int react_add(struct react *react, const struct react_settings *wanted,
              struct xensched_error *err);

/* Call this when the client has performed its actions; @failure: why they failed, or NULL. */
int react_done(struct react *react, unsigned int id, const char *failure,
               struct xensched_error *err);

/* Call this when a client has disconnected: removes its reactions. */
void react_gone(struct react *react, struct control_client *client);

/* Call this before rows are read: requests the doorbell for the next row that a reaction needs. */
void react_hurry(struct react *react, struct xensched_source *source);

/* Call this after rows were read: follows guests and compares figures. */
void react_look(struct react *react, uint64_t now_ns);

/* All reactions, as an array. */
json_object *react_list(const struct react *react);

/* Removes all reactions and resumes the guests that they stopped. */
void react_free(struct react *react);

#endif /* XENSCHED_DAEMON_REACT_H */
