/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.h - reports the daemon's state to the service manager, by sd_notify(3).  The
 * protocol is a datagram with a few words, so no library is needed.
 *
 * The daemon is ready when it has read the logs, and alive as long as it continues to.  A
 * timer would only show that the process exists.  If no service manager asks, the daemon
 * sends nothing.
 */
#ifndef XENSCHED_DAEMON_SOCKET_NOTIFY_H
#define XENSCHED_DAEMON_SOCKET_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <xensched/error.h>

struct notify {
    int fd; /* -1: no service manager asks */
    struct sockaddr_un to;
    socklen_t to_length;
    bool ready;           /* sent already */
    uint64_t watchdog_ns; /* 0: no watchdog */
    uint64_t alive_ns;    /* when the daemon last sent that it is alive */
};

/*
 * Reads $NOTIFY_SOCKET, and $WATCHDOG_USEC if that is for this process, and removes them from
 * the environment.  Fails if they are malformed; then it sends nothing.
 */
int notify_open(struct notify *n, struct xensched_error *err);
void notify_close(struct notify *n);

/* There is progress every @every_ms: lengthens a shorter watchdog. */
void notify_interval(struct notify *n, uint64_t every_ms);

/* The start takes at least @ms more, because of @why. */
void notify_waiting(struct notify *n, const char *why, unsigned int ms);

/* Rows were read: the daemon is ready, and alive. */
void notify_progress(struct notify *n, uint64_t now_ns);

/* The configuration is being read again; ends with the next progress. */
void notify_reloading(struct notify *n, uint64_t now_ns);

void notify_stopping(struct notify *n);

#endif /* XENSCHED_DAEMON_SOCKET_NOTIFY_H */
