/* SPDX-License-Identifier: GPL-2.0-only */
/* replace-file.c - see replace-file.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replace-file.h"

static int failed(struct xensched_error *err, const char *what,
                  const char *path)
{
    return xensched_fail(err, errno ? errno : EIO, "cannot %s '%s': %s", what,
                         path, strerror(errno));
}

static int sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    char *slash;
    int fd, rc;

    if ((size_t)snprintf(folder, sizeof(folder), "%s", path) >=
        sizeof(folder)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    rc = fsync(fd);
    close(fd);

    return rc;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length) {
        ssize_t done = write(fd, text, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        text += done;
        length -= done;
    }

    return 0;
}

/* Its mode is @mode whatever the umask is. */
static int write_new_file(const char *path, const char *text, size_t length,
                          mode_t mode, bool durable)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    int rc;

    if (fd < 0)
        return -1;
    fchmod(fd, mode);
    rc = write_all(fd, text, length);
    if (!rc && durable)
        rc = fsync(fd);
    if (close(fd))
        rc = -1;

    return rc;
}

int replace_file(const char *path, const char *text, size_t length,
                 mode_t mode, bool durable, struct xensched_error *err)
{
    char aside[PATH_MAX];
    int rc;

    if ((size_t)snprintf(aside, sizeof(aside), "%s.new", path) >=
        sizeof(aside))
        return xensched_fail(err, ENAMETOOLONG, "'%s' is too long", path);

    if (write_new_file(aside, text, length, mode, durable)) {
        rc = failed(err, "write", aside);
        unlink(aside);
        return rc;
    }
    if (rename(aside, path)) {
        rc = failed(err, "replace", path);
        unlink(aside);
        return rc;
    }

    return durable && sync_folder_of(path) ? failed(err, "replace", path) : 0;
}

int remove_file(const char *path, struct xensched_error *err)
{
    if ((unlink(path) && errno != ENOENT) || sync_folder_of(path))
        return failed(err, "remove", path);

    return 0;
}
