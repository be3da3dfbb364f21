/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements the protocol of sd_notify(3) without its library. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "notify.h"

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL

/* Number of signs of life per watchdog period. */
#define SIGNS 4

/* Parses a path, or '@' and a name in the abstract name space. */
static bool set_address(struct notify *n, const char *socket)
{
    size_t length = strlen(socket);

    if ((socket[0] != '/' && socket[0] != '@') || length < 2 ||
        length >= sizeof(n->to.sun_path))
        return false;
    n->to.sun_family = AF_UNIX;
    memcpy(n->to.sun_path, socket, length);
    if (socket[0] == '@')
        n->to.sun_path[0] = '\0';
    n->to_length = offsetof(struct sockaddr_un, sun_path) + length;

    return true;
}

static bool parse_number(const char *text, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);

    return !errno && !*end;
}

/* $WATCHDOG_PID: the variable may be for another process. */
static bool set_watchdog(struct notify *n, const char *usec, const char *pid)
{
    uint64_t us, id;

    if (!usec)
        return true;
    if (!parse_number(usec, &us) || !us || us > UINT64_MAX / NS_PER_US ||
        (pid && !parse_number(pid, &id)))
        return false;
    if (!pid || id == (uint64_t)getpid())
        n->watchdog_ns = us * NS_PER_US;

    return true;
}

static int look_around(struct notify *n, struct xensched_error *err)
{
    const char *name = getenv("NOTIFY_SOCKET");
    const char *usec = getenv("WATCHDOG_USEC");

    if (!name)
        return 0;
    if (!set_address(n, name))
        return xensched_fail(err, EINVAL, "NOTIFY_SOCKET is '%s', which is "
                             "neither a path nor '@' and a name: the "
                             "service manager does not learn how the daemon is",
                             name);
    if (!set_watchdog(n, usec, getenv("WATCHDOG_PID")))
        return xensched_fail(err, EINVAL, "WATCHDOG_USEC is '%s', which "
                             "is no time, or WATCHDOG_PID no process: the "
                             "service manager does not learn how the daemon is", usec);
    n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    return n->fd >= 0 ? 0 : xensched_fail(err, errno, "cannot make a socket: "
                                          "%s", strerror(errno));
}

int notify_open(struct notify *n, struct xensched_error *err)
{
    int rc;

    memset(n, 0, sizeof(*n));
    n->fd = -1;
    rc = look_around(n, err);
    /* The variables are not for processes that this one starts. */
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");

    return rc;
}

void notify_close(struct notify *n)
{
    if (n->fd >= 0)
        close(n->fd);
    n->fd = -1;
}

/* If the service manager does not read, or not quickly enough, neither waits nor fails. */
static bool send_message(const struct notify *n, const char *words)
{
    size_t length = strlen(words);

    return n->fd >= 0 &&
           sendto(n->fd, words, length, MSG_NOSIGNAL,
                  (const struct sockaddr *)&n->to, n->to_length) ==
           (ssize_t)length;
}

void notify_waiting(struct notify *n, const char *why, unsigned int ms)
{
    char words[256];

    snprintf(words, sizeof(words), "EXTEND_TIMEOUT_USEC=%llu\nSTATUS=%s",
             ms * 1000ULL, why);
    send_message(n, words);
}

void notify_interval(struct notify *n, uint64_t every_ms)
{
    uint64_t least = SIGNS * every_ms * NS_PER_MS;
    char words[64];

    if (!n->watchdog_ns || n->watchdog_ns >= least)
        return;
    n->watchdog_ns = least;
    snprintf(words, sizeof(words), "WATCHDOG_USEC=%llu",
             (unsigned long long)least / NS_PER_US);
    send_message(n, words);
}

/* A message that could not be sent is sent with the next progress. */
void notify_progress(struct notify *n, uint64_t now_ns)
{
    if (!n->ready)
        n->ready = send_message(n, "READY=1\nSTATUS=");
    if (!n->watchdog_ns ||
        (n->alive_ns && now_ns - n->alive_ns < n->watchdog_ns / SIGNS))
        return;
    if (send_message(n, "WATCHDOG=1"))
        n->alive_ns = now_ns;
}

void notify_reloading(struct notify *n, uint64_t now_ns)
{
    char words[64];

    snprintf(words, sizeof(words), "RELOADING=1\nMONOTONIC_USEC=%llu",
             (unsigned long long)now_ns / NS_PER_US);
    send_message(n, words);
    n->ready = false;
}

void notify_stopping(struct notify *n)
{
    send_message(n, "STOPPING=1");
}
