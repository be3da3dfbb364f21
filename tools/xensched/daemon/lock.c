/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lock.c - see lock.h.  The file stays; only the lock on it counts.
 *
 * A lock of fcntl() belongs to the process alone: after kill -9 it is free, whatever
 * children there still are.  (One of flock() is theirs, too.)
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lock.h"

static int is_held(int fd, const char *program, struct xensched_error *err)
{
    struct flock held = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if (fcntl(fd, F_GETLK, &held) || held.l_type == F_UNLCK)
        held.l_pid = 0;    /* It has just ended. */

    return xensched_fail(err, EEXIST, "another %s is running (process %d)",
                         program, (int)held.l_pid);
}

int lock_take(const char *path, const char *program,
              struct xensched_error *err)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), rc;

    if (fd < 0)
        return xensched_fail(err, errno, "cannot open the lock '%s': %s", path,
                             strerror(errno));
    if (!fcntl(fd, F_SETLK, &all))
        return fd;
    rc = errno == EACCES || errno == EAGAIN
         ? is_held(fd, program, err)
         : xensched_fail(err, errno, "cannot lock '%s': %s", path,
                         strerror(errno));
    close(fd);

    return rc;
}
