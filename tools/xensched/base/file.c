/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces files in one step, and locks a program's file, so that one instance runs on a host.
 *
 * The locked file stays; only the lock on it counts.  A lock of fcntl() belongs to the process
 * alone: after kill -9 it is free, even if the process has children.  (They would share a lock of
 * flock().)
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blocking-call.h"
#include "file.h"

static int fail_step(struct xensched_error *err, const char *what,
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

/* The file has @mode, whatever the umask is. */
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

struct replacement {
    const char *path, *text;
    size_t length;
    mode_t mode;
    bool durable;
    struct xensched_error *err;
};

static int replace_once(void *arg)
{
    const struct replacement *r = arg;
    char new[PATH_MAX];
    int rc;

    if ((size_t)snprintf(new, sizeof(new), "%s.new", r->path) >= sizeof(new))
        return xensched_fail(r->err, ENAMETOOLONG, "'%s' is too long",
                             r->path);

    if (write_new_file(new, r->text, r->length, r->mode, r->durable)) {
        rc = fail_step(r->err, "write", new);
        unlink(new);
        return rc;
    }
    if (rename(new, r->path)) {
        rc = fail_step(r->err, "replace", r->path);
        unlink(new);
        return rc;
    }

    return r->durable && sync_folder_of(r->path)
           ? fail_step(r->err, "replace", r->path) : 0;
}

int replace_file(const char *path, const char *text, size_t length,
                 mode_t mode, bool durable, struct xensched_error *err)
{
    struct replacement r = { path, text, length, mode, durable, err };

    return blocking_call(replace_once, &r);
}

static int remove_it(void *arg)
{
    const struct replacement *r = arg;

    if ((unlink(r->path) && errno != ENOENT) || sync_folder_of(r->path))
        return fail_step(r->err, "remove", r->path);

    return 0;
}

int remove_file(const char *path, struct xensched_error *err)
{
    struct replacement r = { .path = path, .err = err };

    return blocking_call(remove_it, &r);
}

/* Locks. */

/* Returns 0 if no process holds the lock (any more); -1 if that is unknown. */
static pid_t lock_holder(int fd)
{
    struct flock held = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

    if (fcntl(fd, F_GETLK, &held))
        return -1;

    return held.l_type == F_UNLCK ? 0 : held.l_pid;
}

static int try_lock(int fd, const char *path, const char *program,
                    struct xensched_error *err)
{
    struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    pid_t other;

    while (fcntl(fd, F_SETLK, &all)) {
        if (errno != EACCES && errno != EAGAIN)
            return xensched_fail(err, errno, "cannot lock '%s': %s", path,
                                 strerror(errno));
        other = lock_holder(fd);
        if (other)
            return xensched_fail(err, EEXIST,
                                 "another %s is running (process %d)", program,
                                 (int)other);
    }

    return 0;
}

/* For the init script.  The lock holds whether or not this succeeds. */
static void write_holder(int fd)
{
    if (!ftruncate(fd, 0))
        dprintf(fd, "%d\n", (int)getpid());
}

int lock_take(const char *path, const char *program,
              struct xensched_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), rc;

    if (fd < 0)
        return xensched_fail(err, errno, "cannot open the lock '%s': %s", path,
                             strerror(errno));
    rc = try_lock(fd, path, program, err);
    if (!rc) {
        write_holder(fd);
        return fd;
    }
    close(fd);

    return rc;
}
