/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.h - tells the service manager how the daemon is: sd_notify(3), whose
 * protocol is a datagram with a few words, so no library is needed.
 *
 * It is ready when it has really read the logs, and alive as long as it goes on
 * doing so.  A timer would tell that there is a process, and nobody doubts
 * that.  Without a service manager that wants to know, nothing is sent.
 */
#ifndef XENSCHED_DAEMON_NOTIFY_H
#define XENSCHED_DAEMON_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <xensched/error.h>

struct notify {
    int fd; /* -1: not asked for */
    struct sockaddr_un to;
    socklen_t to_length;
    bool ready;           /* that was said */
    uint64_t watchdog_ns; /* 0: there is none */
    uint64_t alive_ns;    /* when that was last said */
};

/*
 * Look for $NOTIFY_SOCKET, and for $WATCHDOG_USEC if that is for this process;
 * they are taken out of the environment.  Fails if they make no sense; nobody is
 * told anything then.
 */
int notify_open(struct notify *n, struct xensched_error *err);
void notify_close(struct notify *n);

/* There is progress each @every_ms: a shorter watchdog is made longer. */
void notify_interval(struct notify *n, uint64_t every_ms);

/* The start takes longer: @why, for at least @ms more. */
void notify_waiting(struct notify *n, const char *why, unsigned int ms);

/* Rows have been taken in: the daemon is ready, and alive. */
void notify_progress(struct notify *n, uint64_t now_ns);

/* The configuration is read anew; until there is progress again. */
void notify_reloading(struct notify *n, uint64_t now_ns);

void notify_stopping(struct notify *n);

#endif /* XENSCHED_DAEMON_NOTIFY_H */
