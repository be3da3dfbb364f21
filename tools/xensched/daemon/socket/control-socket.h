/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control-socket.h - the control socket: lines in, lines out.
 *
 * Only root can connect.  Nothing that a client sends or does not send can delay the daemon,
 * make it use much memory, or lock other clients out:
 * - at most CONTROL_CLIENTS are connected; one more replaces the client that has been idle
 *   for longest;
 * - a line has at most CONTROL_LINE bytes;
 * - the daemon reads nothing from a client that has not received its last answer;
 * - the daemon disconnects a client that takes longer than CONTROL_IDLE_S to send a line or
 *   to receive an answer.
 *
 * A client that waits for an event (control_keep()) may be silent; the daemon sends it a line
 * when the event happens.  At most CONTROL_KEPT clients wait, and the daemon disconnects one
 * that does not receive its lines.
 */
#ifndef XENSCHED_DAEMON_SOCKET_CONTROL_SOCKET_H
#define XENSCHED_DAEMON_SOCKET_CONTROL_SOCKET_H

#include <ev.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#define CONTROL_CLIENTS 16
#define CONTROL_KEPT    8     /* clients among them that wait for events */
#define CONTROL_UNREAD  65536 /* bytes of lines that a client has not received */
#define CONTROL_LINE    4096  /* bytes, with the newline */
#define CONTROL_IDLE_S  10.0

struct control_client {
    int fd; /* -1: no client */
    struct control *control;
    ev_io io;
    ev_timer idle;
    char in[CONTROL_LINE];
    size_t nr_in;
    char *out; /* the answer that is being sent, or NULL */
    size_t nr_out, sent;
    int closing; /* after this answer */
    int kept;    /* it waits for an event */
    uint64_t active; /* control.clock when it last sent or received */
};

struct control {
    struct ev_loop *loop;
    /* Answers a line without its newline; returns a line with newline, from malloc(). */
    char *(*reply)(void *arg, const char *line, size_t length);
    void *arg;
    /* Called when a client that was kept has disconnected; NULL: not needed. */
    void (*gone)(void *arg, struct control_client *client);
    struct control_client *asking; /* the client whose line is being answered, or NULL */
    char *path;
    int fd;
    ev_io io;
    ev_timer again; /* without descriptors: until the socket is listened to again */
    uint64_t clock; /* counts what clients send and receive */
    struct control_client clients[CONTROL_CLIENTS];
};

/*
 * Listens at @path.  A socket that is there is replaced: the caller holds the lock that makes
 * sure that no other process uses it.  @idle_s: see CONTROL_IDLE_S.
 */
int control_open(struct control *c, struct ev_loop *loop, const char *path,
                 double idle_s,
                 char *(*reply)(void *arg, const char *line, size_t length),
                 void *arg, struct xensched_error *err);

/* Keeps the client that is being answered.  Returns -EBUSY if there are too many. */
int control_keep(struct control *c, struct xensched_error *err);

/* Sends @line, which ends with a newline, to a client that is kept. */
void control_tell(struct control_client *client, const char *line);

/* Disconnects all clients and removes the socket. */
void control_close(struct control *c);

#endif /* XENSCHED_DAEMON_SOCKET_CONTROL_SOCKET_H */
