/* SPDX-License-Identifier: GPL-2.0-only */
/* lock.c - see lock.h.  The file stays; only the lock on it counts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lock.h"

static int is_held(int fd, const char *program, struct xensched_error *err)
{
    char pid[32] = "";
    ssize_t got = pread(fd, pid, sizeof(pid) - 1, 0);

    if (got > 0)
        pid[strcspn(pid, "\n")] = '\0';

    return xensched_fail(err, EEXIST, "another %s is running (process %s)",
                         program, pid[0] ? pid : "unknown");
}

int lock_take(const char *path, const char *program,
              struct xensched_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char pid[32];
    int rc;

    if (fd < 0)
        return xensched_fail(err, errno, "cannot open the lock '%s': %s", path,
                             strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        rc = errno == EWOULDBLOCK
             ? is_held(fd, program, err)
             : xensched_fail(err, errno, "cannot lock '%s': %s", path,
                             strerror(errno));
        close(fd);
        return rc;
    }
    snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
    /* Only for the message above; that it cannot be written is no harm. */
    if (ftruncate(fd, 0) || pwrite(fd, pid, strlen(pid), 0) < 0)
        return fd;

    return fd;
}
