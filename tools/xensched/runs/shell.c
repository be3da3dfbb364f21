/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a shell command of an experiment.
 *
 * A keeper runs between this process and the shell as the leader of their session: it measures the
 * time, and kills the session when its parent dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "shell.h"

/* Signals that interrupt an experiment. */

static volatile sig_atomic_t count;

static void on_signal(int number)
{
    (void)number;
    if (count < 100)
        count++;
}

void stop_catch_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Signals wait until the mask is @before again, as in ppoll(). */
static void hold_signals(sigset_t *before)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, before);
}

int stop_count(void)
{
    return count;
}

/* Interval of checks whether a command that is to end has ended. */
#define LOOK_MS 200

/* Time from SIGINT to SIGKILL. */
#define GRACE_NS 5000000000ULL

/* The keeper's report at the end. */
struct report {
    int status;
    uint64_t wall_ns;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The keeper. */

static void kill_all(int number)
{
    (void)number;
    kill(0, SIGKILL);
}

/* Debian's /bin/sh lacks pipefail; bash, called as sh, is in POSIX mode. */
static void be_shell(const struct shell_command *command)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (command->strict) {
        execl("/bin/bash", "sh", "-e", "-o", "pipefail", "-c", command->text,
              (char *)NULL);
        execl("/bin/sh", "sh", "-e", "-o", "pipefail", "-c", command->text,
              (char *)NULL);
    }
    execl("/bin/sh", "sh", "-c", command->text, (char *)NULL);
    _exit(127);
}

static int shell_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void keep_session(const struct shell_command *command, pid_t parent, int output,
                         int reports)
{
    struct report report = { .status = 127 };
    int null = open("/dev/null", O_RDONLY), status;
    uint64_t begin;
    pid_t shell;

    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, kill_all);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    begin = now_ns();
    shell = fork();
    if (!shell)
        be_shell(command);
    while (shell > 0 && waitpid(shell, &status, 0) < 0 && errno == EINTR)
        ;
    report.wall_ns = now_ns() - begin;
    if (shell > 0)
        report.status = shell_status(status);
    _exit(write(reports, &report, sizeof(report)) != sizeof(report));
}

/* The parent. */

struct keeper {
    pid_t pid;
    int output, reports;
};

static int start_shell(struct keeper *k, const struct shell_command *command,
                       struct xensched_error *err)
{
    pid_t parent = getpid();
    int output[2], reports[2];

    if (pipe2(output, O_CLOEXEC))
        return xensched_fail(err, errno, "no pipe: %s", strerror(errno));
    if (pipe2(reports, O_CLOEXEC)) {
        close(output[0]);
        close(output[1]);
        return xensched_fail(err, errno, "no pipe: %s", strerror(errno));
    }
    k->pid = fork();
    if (!k->pid)
        keep_session(command, parent, output[1], reports[1]);
    close(output[1]);
    close(reports[1]);
    k->output = output[0];
    k->reports = reports[0];
    fcntl(k->output, F_SETFL, O_NONBLOCK);
    if (k->pid > 0)
        return 0;
    close(k->output);
    close(k->reports);

    return xensched_fail(err, errno, "no process: %s", strerror(errno));
}

/* Makes space for @more bytes if necessary: the buffer is twice the kept size. */
static void make_room(struct shell *shell, size_t more)
{
    size_t before = shell->length > SHELL_OUTPUT ? shell->length - SHELL_OUTPUT
                                                 : 0;

    if (shell->length + more <= 2 * SHELL_OUTPUT)
        return;
    memmove(shell->output, shell->output + before, SHELL_OUTPUT);
    shell->length -= before;
    shell->dropped += before;
}

/* Returns false at the end of the output. */
static bool take_output(struct shell *shell, const struct shell_command *command,
                        int fd)
{
    char part[4096];
    ssize_t got = read(fd, part, sizeof(part)), i;
    size_t length = 0;

    for (i = 0; i < got; i++)
        if (part[i])
            part[length++] = part[i];
    make_room(shell, length);
    memcpy(shell->output + shell->length, part, length);
    shell->length += length;
    if (command->take && length)
        command->take(command->arg, part, length);

    return got > 0;
}

static void end_output(struct shell *shell)
{
    if (shell->length > SHELL_OUTPUT)
        make_room(shell, 2 * SHELL_OUTPUT);
    shell->output[shell->length] = '\0';
}

/*
 * Runs until the keeper has reported, or was killed.  Signals arrive only while it waits, so it
 * need not wake up to check for them: the workload may measure this host.
 */
static void follow_shell(struct keeper *k, struct shell *shell,
                         const struct shell_command *command, struct report *report)
{
    struct pollfd fds[2] = {
        { .fd = k->reports, .events = POLLIN },
        { .fd = k->output, .events = POLLIN },
    };
    static const struct timespec look = { .tv_nsec = LOOK_MS * 1000000L };
    const int stops = command->stops;
    uint64_t asked = 0;
    sigset_t before;

    hold_signals(&before);
    while (!fds[0].revents) {
        fds[0].revents = fds[1].revents = 0;
        ppoll(fds, 2, stop_count() > stops ? &look : NULL, &before);
        if (fds[1].revents && !take_output(shell, command, k->output))
            fds[1].fd = -1;
        /* The session exists only after the keeper has made it. */
        if (!asked && stop_count() > stops && !kill(-k->pid, SIGINT)) {
            shell->stopped = true;
            asked = now_ns();
        }
        if (asked && now_ns() - asked > GRACE_NS)
            kill(k->pid, SIGTERM);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    while (take_output(shell, command, k->output))
        ;
    end_output(shell);

    /* A keeper that was killed has written no report. */
    if (read(k->reports, report, sizeof(*report)) != sizeof(*report))
        report->status = 128 + SIGKILL;
}

int shell_run(struct shell *shell, const struct shell_command *command,
              struct xensched_error *err)
{
    struct report report = { 0 };
    struct keeper k = { 0 };
    int rc = start_shell(&k, command, err);

    if (rc)
        return rc;
    *shell = (struct shell){ .output = need_memory(2 * SHELL_OUTPUT + 1, 1) };
    follow_shell(&k, shell, command, &report);
    if (shell->stopped)
        kill(-k.pid, SIGKILL);
    while (waitpid(k.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(k.output);
    close(k.reports);
    shell->status = report.status;
    shell->wall_ns = report.wall_ns;

    return 0;
}

void shell_free(struct shell *shell)
{
    free(shell->output);
    shell->output = NULL;
}
