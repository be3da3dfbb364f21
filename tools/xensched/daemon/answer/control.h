/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - the control socket: lines in, lines out.
 *
 * Only root can connect.  Nothing that a client sends or doesn't send can hold
 * up the daemon, make it use much memory, or keep others from being heard:
 * there are at most CONTROL_CLIENTS, one more takes the place of the one that
 * was not active for longest, a line has at most CONTROL_LINE bytes, nothing
 * is read from a client before it has taken the former answer, and one that
 * takes longer than CONTROL_IDLE_S to send a line, or to take an answer, is
 * disconnected.
 *
 * A client that waits for something to happen (control_keep()) may be silent, and
 * is told when it does.  There are at most CONTROL_KEPT of these, and one that
 * does not take what it is told is disconnected.
 */
#ifndef XENSCHED_DAEMON_CONTROL_H
#define XENSCHED_DAEMON_CONTROL_H

#include <ev.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#define CONTROL_CLIENTS 16
#define CONTROL_KEPT    8  /* of these */
#define CONTROL_UNREAD  65536 /* bytes, of what one was told */
#define CONTROL_LINE    4096 /* bytes, with the newline */
#define CONTROL_IDLE_S  10.0

struct control_client {
    int fd; /* -1: no client */
    struct control *control;
    ev_io io;
    ev_timer idle;
    char in[CONTROL_LINE];
    size_t nr_in;
    char *out; /* the answer which is being sent, or NULL */
    size_t nr_out, sent;
    int closing; /* after this answer */
    int kept;    /* it waits to be told */
    uint64_t active; /* time on control.clock of what it did last */
};

struct control {
    struct ev_loop *loop;
    /* Answer a line (without newline): a line with newline, from malloc(). */
    char *(*reply)(void *arg, const char *line, size_t length);
    void *arg;
    /* A client that was kept is there no more; NULL: not needed. */
    void (*gone)(void *arg, struct control_client *client);
    struct control_client *asking; /* whose line is being answered, or NULL */
    char *path;
    int fd;
    ev_io io;
    ev_timer again; /* until it listens again, being out of descriptors */
    uint64_t clock; /* goes on when a client does something */
    struct control_client clients[CONTROL_CLIENTS];
};

/*
 * Listen at @path, which is replaced if it is there: the caller holds the lock
 * that makes sure no other process uses it.  @idle_s: see CONTROL_IDLE_S.
 */
int control_open(struct control *c, struct ev_loop *loop, const char *path,
                 double idle_s,
                 char *(*reply)(void *arg, const char *line, size_t length),
                 void *arg, struct xensched_error *err);

/* Keep the client that is being answered.  -EBUSY: there are too many. */
int control_keep(struct control *c, struct xensched_error *err);

/* Tell a client that is kept @line, which ends with a newline. */
void control_tell(struct control_client *client, const char *line);

/* Disconnect all clients and remove the socket. */
void control_close(struct control *c);

#endif /* XENSCHED_DAEMON_CONTROL_H */
