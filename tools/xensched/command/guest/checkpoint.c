/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Saves a guest with 'xl save' and lets it continue.
 *
 * xl runs as a process of its own, because libxl must not be interrupted.  A stopped guest is
 * resumed once Xen has asked it to suspend, so the request is the first thing that the guest sees.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xenstore.h>

#include <xensched/stop.h>

#include "checkpoint.h"
#include "lib/area/xenstore-open.h"

/* Time between polls, and the most polls. */
#define LOOK_NS 1000000L
#define LOOKS   30000

/* Arguments: the guest, the incomplete file, the file, and the hook. */
static const char without_hook[] =
    "xl save -c \"$1\" \"$2\" >&2 && mv -f \"$2\" \"$3\"";
static const char with_hook[] =
    "xl save -p \"$1\" \"$2\" >&2 || exit 1; "
    "sh -c \"$4\" >\"$3.disk\"; good=$?; "
    "xl unpause \"$1\" && [ $good = 0 ] && mv -f \"$2\" \"$3\"";

struct letting_go {
    uint32_t domid;
    struct xs_handle *xs;
    bool let_go;
};

static bool is_asked_to_suspend(struct letting_go *l)
{
    char path[64], *text;
    unsigned int length;
    bool asked;

    snprintf(path, sizeof(path), "/local/domain/%u/control/shutdown", l->domid);
    text = xs_read(l->xs, XBT_NULL, path, &length);
    asked = text && !strcmp(text, "suspend");
    free(text);

    return asked;
}

static void *let_go(void *arg)
{
    static const struct timespec pause = { .tv_nsec = LOOK_NS };
    struct letting_go *l = arg;
    int i;

    for (i = 0; i < LOOKS && !l->let_go; i++) {
        l->let_go = is_asked_to_suspend(l);
        if (!l->let_go)
            nanosleep(&pause, NULL);
    }
    /* Also if the guest was never asked: then xl has given up, or soon does. */
    xensched_stop_resume(l->domid, NULL);

    return NULL;
}

/* The process that saves. */

static int run_script(const struct checkpoint *c, const char *part, int output)
{
    char domid[16];
    int status;
    pid_t pid;

    snprintf(domid, sizeof(domid), "%u", c->domid);
    pid = fork();
    if (!pid) {
        dup2(output, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", c->hook ? with_hook : without_hook, "sh",
              domid, part, c->path, c->hook, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
        unlink(part);
        return -1;
    }

    return 0;
}

static int save_stopped(const struct checkpoint *c, const char *part, int output)
{
    struct letting_go l = { .domid = c->domid, .xs = xensched_xenstore_open(NULL) };
    pthread_t thread;
    int rc;

    if (!l.xs || pthread_create(&thread, NULL, let_go, &l)) {
        xensched_stop_resume(c->domid, NULL);
        return -1;
    }
    rc = run_script(c, part, output);
    l.let_go = true;
    pthread_join(thread, NULL);
    xs_close(l.xs);

    return rc;
}

/*
 * The file contains the guest's memory: only its owner may read it.  Writes the reason of a failure
 * to @output.
 */
static int create_part(const char *part, int output)
{
    int fd;

    umask(077);
    /* xl would keep the mode and the owner of a file that a crash left. */
    unlink(part);
    fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        dprintf(output, "cannot create '%s': %s", part, strerror(errno));
        return -1;
    }

    return close(fd);
}

/* No other process may end xl in the middle. */
static void exec_xl(const struct checkpoint *c, const char *part, int output)
{
    enum xensched_stop state;
    int rc;

    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    rc = create_part(part, output);
    if (!rc)
        rc = xensched_stop_state(c->domid, &state, NULL);
    if (!rc)
        rc = state == XENSCHED_STOP_STOPPED ? save_stopped(c, part, output)
                                            : run_script(c, part, output);
    _exit(rc ? 1 : 0);
}

/* The process that waits. */

/* The most bytes of a message for xl's output. */
#define SAID 240

/* Returns the last lines of @said that fit, in one line; changes @said. */
static const char *last_lines(char *said)
{
    char *begin = said + strlen(said), *at;

    while (begin > said && said + strlen(said) - begin < SAID)
        begin--;
    if (begin > said && strchr(begin, '\n'))
        begin = strchr(begin, '\n') + 1;
    for (at = begin; (at = strchr(at, '\n')); )
        *at = ' ';

    return begin;
}

/* Reports the reason, as far as it is known; changes @said. */
static int report_failure(const struct checkpoint *c, char *said,
                          struct xensched_error *err)
{
    if (strstr(said, strerror(ENOSPC)))
        return xensched_fail(err, ENOSPC, "cannot save domain %u: the disk is "
                             "full: '%s'", c->domid, c->path);

    return xensched_fail(err, EIO, "cannot save domain %u to '%s': %s",
                         c->domid, c->path, last_lines(said));
}

/* Keeps the end of the output. */
static void read_output(int output, char *said, size_t size)
{
    size_t length = 0;
    ssize_t got;

    for (;;) {
        if (length == size - 1) {
            memmove(said, said + size / 2, length - size / 2);
            length -= size / 2;
        }
        got = read(output, said + length, size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += got;
    }
    while (length && said[length - 1] == '\n')
        length--;
    said[length] = '\0';
}

/* Any user could replace a file in a folder that is writable and not sticky. */
static int check_folder(const struct checkpoint *c, struct xensched_error *err)
{
    const char *slash = strrchr(c->path, '/');
    char folder[PATH_MAX] = ".";
    struct stat at;

    if (slash)
        snprintf(folder, sizeof(folder), "%.*s/", (int)(slash - c->path),
                 c->path);
    if (!stat(folder, &at) && (at.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
        return xensched_fail(err, EPERM, "cannot save domain %u to '%s': every "
                             "user may write to the folder; 'chmod o-w %s'",
                             c->domid, c->path, folder);

    return 0;
}

int checkpoint_save(const struct checkpoint *c, struct xensched_error *err)
{
    char part[PATH_MAX], said[4096] = "no process";
    int output[2], status = 0, rc;
    pid_t pid;

    if ((size_t)snprintf(part, sizeof(part), "%s.part", c->path) >= sizeof(part))
        return xensched_fail(err, ENAMETOOLONG, "'%s' is too long", c->path);
    rc = check_folder(c, err);
    if (rc)
        return rc;
    if (pipe(output))
        return xensched_fail(err, errno, "no pipe: %s", strerror(errno));
    fflush(NULL);
    pid = fork();
    if (!pid) {
        close(output[0]);
        exec_xl(c, part, output[1]);
    }
    close(output[1]);
    if (pid > 0)
        read_output(output[0], said, sizeof(said));
    close(output[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        return report_failure(c, said, err);

    return 0;
}
