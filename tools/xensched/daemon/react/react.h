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
    bool changed;    /* the logs have to be looked at as of now */
};

/* What is asked for. */
struct react_settings {
    const char *condition;
    struct reaction_limits limits;
    bool stop;      /* the guest is to be stopped at the very moment */
    bool pauses;    /* it is, or is to be paused by an action */
    bool dry_run;   /* only count, and tell */
    const char *actions; /* the configuration's, separated by ;  NULL: a
                          * client's, which knows them */
};

/* Before rows are read.  Guests which a former daemon left stopped go on. */
void react_init(struct react *react, struct core *core, const struct log_sources *sources,
                struct control *control, struct ev_loop *loop);

/*
 * Those of the configuration, a line each:
 * [dry-run] [times=N] [every=SECONDS] CONDITION do ACTION[; ACTION]...
 * The daemon goes on without one that this host cannot have, which is said.
 */
void react_configure(struct react *react, const char *lines);

/* Is @lines so?  And which events (mask) does it need? */
int react_check(const char *lines, uint32_t *events, struct xensched_error *err);

/* For the client that is being answered.  Returns its number. */
int react_add(struct react *react, const struct react_settings *wanted,
              struct xensched_error *err);

/* The client has done its actions; @failure: why not, or NULL. */
int react_done(struct react *react, unsigned int id, const char *failure,
               struct xensched_error *err);

/* A client is there no more. */
void react_gone(struct react *react, struct control_client *client);

/* Before rows are read: which of them have to ring next time. */
void react_hurry(struct react *react, struct xensched_source *source);

/* Rows have been read: follow guests, compare figures. */
void react_look(struct react *react, uint64_t now_ns);

/* All of them, as an array. */
json_object *react_list(const struct react *react);

/* No guest is stopped any more. */
void react_free(struct react *react);

#endif /* XENSCHED_DAEMON_REACT_H */
