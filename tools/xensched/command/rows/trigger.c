/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trigger of a flight recorder (xensched record --ring): a socket at which it waits for
 * the name of a file, and xensched record --snapshot, which sends one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "command/command.h"
#include "trigger.h"

/* Timeouts in seconds: for the file name, and for the file. */
#define WORD_SECONDS   1
#define ANSWER_SECONDS 60

static int open_socket(const char *path, struct sockaddr_un *address,
                       struct xensched_error *err)
{
    int fd;

    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if ((size_t)snprintf(address->sun_path, sizeof(address->sun_path), "%s",
                         path) >= sizeof(address->sun_path))
        return xensched_fail(err, ENAMETOOLONG, "'%s' is too long for a "
                             "socket", path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return xensched_fail(err, errno, "no socket: %s", strerror(errno));

    return fd;
}

static void limit_blocking(int fd, int option, unsigned int seconds)
{
    struct timeval limit = { .tv_sec = seconds };

    setsockopt(fd, SOL_SOCKET, option, &limit, sizeof(limit));
}

static int bind_to(int fd, const struct sockaddr_un *address,
                   struct xensched_error *err)
{
    mode_t mask;
    int rc;

    if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)))
        return xensched_fail(err, EADDRINUSE, "another recorder listens at "
                             "'%s': end it, or choose another --trigger",
                             address->sun_path);
    if (errno == ECONNREFUSED)
        unlink(address->sun_path);
    mask = umask(077);
    rc = bind(fd, (const struct sockaddr *)address, sizeof(*address));
    umask(mask);
    if (rc || listen(fd, 4))
        return xensched_fail(err, errno, "cannot listen at '%s': %s",
                             address->sun_path, strerror(errno));

    return 0;
}

int trigger_listen(const char *path, struct xensched_error *err)
{
    struct sockaddr_un address;
    int fd = open_socket(path, &address, err), listener, rc;

    if (fd < 0)
        return fd;
    rc = bind_to(fd, &address, err);
    listener = rc ? -1 : fd;
    if (rc)
        close(fd);

    return rc ? rc : listener;
}

/* Reads a line of at most @size - 1 bytes, without its end; returns false if there is none. */
static int get_line(int fd, char *text, size_t size)
{
    size_t at = 0;

    while (at < size) {
        ssize_t got = recv(fd, text + at, size - at, 0);
        char *end;

        if (got <= 0)
            return 0;
        end = memchr(text + at, '\n', got);
        if (end) {
            *end = '\0';
            return 1;
        }
        at += got;
    }

    return 0;
}

int trigger_wanted(int listener, char file[PATH_MAX])
{
    struct timeval now = { 0 };
    fd_set set;
    int fd;

    FD_ZERO(&set);
    FD_SET(listener, &set);
    if (select(listener + 1, &set, NULL, NULL, &now) != 1)
        return -1;
    fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return -1;
    limit_blocking(fd, SO_RCVTIMEO, WORD_SECONDS);
    limit_blocking(fd, SO_SNDTIMEO, WORD_SECONDS);
    if (get_line(fd, file, PATH_MAX) &&
        (*file == '/' || !strcmp(file, TRIGGER_STOP)))
        return fd;
    close(fd);

    return -1;
}

void trigger_answer(int connection, const struct xensched_error *failure)
{
    char text[sizeof(failure->text) + 2];
    int length = snprintf(text, sizeof(text), "%s\n",
                          failure ? failure->text : "");

    /* A client that has left needs no answer. */
    (void)!send(connection, text, length, MSG_NOSIGNAL);
    close(connection);
}

static int say_and_hear(int fd, const struct sockaddr_un *address,
                        const char *file, struct xensched_error *err)
{
    char answer[sizeof(err->text) + 2];

    limit_blocking(fd, SO_RCVTIMEO, ANSWER_SECONDS);
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)))
        return xensched_fail(err, errno, "no recorder listens at '%s': %s; "
                             "'xensched record --ring' is one",
                             address->sun_path, strerror(errno));
    if (send(fd, file, strlen(file), MSG_NOSIGNAL) < 0 ||
        send(fd, "\n", 1, MSG_NOSIGNAL) < 0 ||
        !get_line(fd, answer, sizeof(answer)))
        return xensched_fail(err, ETIMEDOUT, "the recorder at '%s' does not "
                             "answer", address->sun_path);
    if (*answer)
        return xensched_fail(err, EIO, "%s", answer);

    return 0;
}

int trigger_pull(const char *path, const char *file,
                 struct xensched_error *err)
{
    struct sockaddr_un address;
    int fd = open_socket(path, &address, err), rc;

    if (fd < 0)
        return fd;
    rc = say_and_hear(fd, &address, file, err);
    close(fd);

    return rc;
}

/* xensched record --snapshot. */

/* The recorder may have another working directory. */
static int make_absolute(const char *file, char path[PATH_MAX],
                         struct xensched_error *err)
{
    char *folder = *file == '/' ? strdup("") : getcwd(NULL, 0);
    int length = -1;

    if (folder)
        length = snprintf(path, PATH_MAX, "%s%s%s", folder,
                          *file == '/' ? "" : "/", file);
    free(folder);
    if (length < 0 || length >= PATH_MAX || strchr(path, '\n'))
        return xensched_fail(err, ENAMETOOLONG, "'%s' cannot be the name of a "
                             "snapshot", file);

    return 0;
}

int snapshot_write(const struct arguments *args)
{
    char path[PATH_MAX];
    struct xensched_error err;
    int rc = make_absolute(args->file, path, &err);

    if (!rc)
        rc = trigger_pull(args->trigger ? args->trigger
                                        : TRIGGER_DEFAULT_SOCKET, path, &err);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}
