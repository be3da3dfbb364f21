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
 */
#ifndef XENSCHED_DAEMON_CONTROL_H
#define XENSCHED_DAEMON_CONTROL_H

#include <ev.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#define CONTROL_CLIENTS 16
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
    uint64_t active; /* time on control.clock of what it did last */
};

struct control {
    struct ev_loop *loop;
    /* Answer a line (without newline): a line with newline, from malloc(). */
    char *(*answer)(void *arg, const char *line, size_t length);
    void *arg;
    char *path;
    int fd;
    ev_io io;
    uint64_t clock; /* goes on when a client does something */
    struct control_client clients[CONTROL_CLIENTS];
};

/*
 * Listen at @path, which is replaced if it is there: the caller holds the lock
 * that makes sure nobody else uses it.  @idle_s: see CONTROL_IDLE_S.
 */
int control_open(struct control *c, struct ev_loop *loop, const char *path,
                 double idle_s,
                 char *(*answer)(void *arg, const char *line, size_t length),
                 void *arg, struct xensched_error *err);

/* Disconnect all clients and remove the socket. */
void control_close(struct control *c);

#endif /* XENSCHED_DAEMON_CONTROL_H */
