/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notify.h - tells the service manager how the daemon is: sd_notify(3), whose
 * protocol is a datagram with a few words, so no library is needed.
 *
 * It is ready when it has read the logs, and alive as long as it continues to.  A
 * timer would only show that the process exists.  Without a service manager that
 * asks for it, nothing is sent.
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
 * they are removed from the environment.  Fails if they make no sense; nothing is
 * sent then.
 */
int notify_open(struct notify *n, struct xensched_error *err);
void notify_close(struct notify *n);

/* There is progress each @every_ms: a shorter watchdog is made longer. */
void notify_interval(struct notify *n, uint64_t every_ms);

/* The start takes longer: @why, for at least @ms more. */
void notify_waiting(struct notify *n, const char *why, unsigned int ms);

/* Rows have been taken in: the daemon is ready, and alive. */
void notify_progress(struct notify *n, uint64_t now_ns);

/* The configuration is read again; until there is progress. */
void notify_reloading(struct notify *n, uint64_t now_ns);

void notify_stopping(struct notify *n);

#endif /* XENSCHED_DAEMON_NOTIFY_H */
