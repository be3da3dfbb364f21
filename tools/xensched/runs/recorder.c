/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts and ends 'xensched record' beside a workload. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/program.h"
#include "recorder.h"

/* Until it has begun; it attaches to logs of some domains. */
#define STARTS_MS 10000
#define LOOK_MS 10

static void be_recorder(const char *file, const char *events, pid_t parent,
                        int said)
{
    int null = open("/dev/null", O_RDONLY);
    char path[PATH_MAX];
    const char *program = sibling_path(path, "xensched");

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    dup2(null, STDIN_FILENO);
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    if (events)
        execlp(program, "xensched", "record", "--event", events, file, (char *)NULL);
    else
        execlp(program, "xensched", "record", file, (char *)NULL);
    _exit(127);
}

static bool has_begun(const char *file)
{
    struct stat st;

    return !stat(file, &st) && st.st_size;
}

/* Reap it, and say what it said. */
static int failed(struct recorder *r, struct xensched_error *err)
{
    char text[300] = "";
    ssize_t got = read(r->said, text, sizeof(text) - 1);

    close(r->said);
    text[got > 0 ? strcspn(text, "\n") : 0] = '\0';

    return xensched_fail(err, EIO, "cannot record to '%s': %s", r->file,
                         *text ? text : "it ended");
}

int recorder_start(struct recorder *r, const char *file, const char *events,
                   struct xensched_error *err)
{
    static const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
    pid_t parent = getpid();
    int said[2], waited;

    r->file = file;
    unlink(file);
    if (pipe2(said, O_CLOEXEC))
        return xensched_fail(err, errno, "no pipe: %s", strerror(errno));
    r->pid = fork();
    if (!r->pid)
        be_recorder(file, events, parent, said[1]);
    close(said[1]);
    r->said = said[0];
    if (r->pid < 0)
        return failed(r, err);
    for (waited = 0; waited < STARTS_MS && !has_begun(file);
         waited += LOOK_MS) {
        if (waitpid(r->pid, NULL, WNOHANG) == r->pid)
            return failed(r, err);
        nanosleep(&pause, NULL);
    }

    return 0;
}

int recorder_stop(struct recorder *r, struct xensched_error *err)
{
    int status;

    kill(r->pid, SIGINT);
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return failed(r, err);
    close(r->said);

    return 0;
}
