/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks a program's file, so that one instance runs on a host.
 *
 * The file stays; only the lock on it counts.  A lock of fcntl() belongs to the process
 * alone: after kill -9 it is free, even if the process has children.  (A lock of flock()
 * would belong to the children, too.)
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lock.h"

/* 0: there is none (any more); -1: that cannot be said. */
static pid_t holder(int fd)
{
    struct flock held = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if (fcntl(fd, F_GETLK, &held))
        return -1;

    return held.l_type == F_UNLCK ? 0 : held.l_pid;
}

static int try(int fd, const char *path, const char *program,
               struct xensched_error *err)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    pid_t other;

    while (fcntl(fd, F_SETLK, &all)) {
        if (errno != EACCES && errno != EAGAIN)
            return xensched_fail(err, errno, "cannot lock '%s': %s", path,
                                 strerror(errno));
        other = holder(fd);
        if (other)
            return xensched_fail(err, EEXIST,
                                 "another %s is running (process %d)", program,
                                 (int)other);
    }

    return 0;
}

int lock_take(const char *path, const char *program,
              struct xensched_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), rc;

    if (fd < 0)
        return xensched_fail(err, errno, "cannot open the lock '%s': %s", path,
                             strerror(errno));
    rc = try(fd, path, program, err);
    if (!rc)
        return fd;
    close(fd);

    return rc;
}
