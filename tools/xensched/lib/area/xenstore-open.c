/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Connects to xenstored by its socket only.
 *
 * If no process listens at that socket, xs_open() tries the kernel's connection to a xenstored in
 * another domain.  If xenstored has merely died, that connection succeeds, and the first request
 * waits for ever: at once, or when the next xenstored, which has taken over the kernel's requests,
 * dies too.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <xenstore_lib.h>

#include "xenstore-open.h"

/* The socket that was there before: xenstored is a process of this domain. */
static struct sockaddr_un seen;

/* Is there a socket at which no process listens, or is it being created again? */
static bool is_dead(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct stat st;
    bool dead;
    int fd;

    if (stat(path, &st) || !S_ISSOCK(st.st_mode))
        return !strcmp(path, seen.sun_path);
    if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
                         path) >= sizeof(address.sun_path))
        return false;
    seen = address;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    dead = connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
           errno == ECONNREFUSED;
    close(fd);

    return dead;
}

struct xs_handle *xensched_xenstore_open(struct xensched_error *err)
{
    bool dead = is_dead(xs_daemon_socket());
    struct xs_handle *handle;

    errno = dead ? ECONNREFUSED : 0;
    handle = dead ? NULL : xs_open(0);
    if (!handle)
        xensched_fail(err, errno, "cannot connect to xenstore: %s (is "
                      "xenstored running?)",
                      strerror(errno ? errno : EIO));

    return handle;
}
