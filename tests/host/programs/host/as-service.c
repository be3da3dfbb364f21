/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * as-service SECONDS COMMAND...: starts the command as systemd does for xenschedd.service: with
 * CAP_SYS_ADMIN only, no way to new capabilities, a socket for its notifications, and a watchdog of
 * SECONDS.  Prints its notifications, one per line, and kills it if it gives no sign of life for
 * that time.  Passes on SIGTERM and SIGHUP.  Exits with the command's exit code, or 128 and the
 * signal that ended it.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/capability.h>

#define NAME "@as-service"

static pid_t child;

static void pass_on(int sig)
{
    kill(child, sig);
}

static int listen_here(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path + 1, NAME + 1);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address,
                       offsetof(struct sockaddr_un, sun_path) +
                       strlen(NAME)))
        err(1, "socket");

    return fd;
}

static void drop_capabilities(void)
{
    int cap;

    for (cap = 0; cap <= 63; cap++)
        if (cap != CAP_SYS_ADMIN &&
            prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EINVAL)
            err(1, "cannot drop capability %d", cap);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        err(1, "no new privileges");
}

static void become(char **command, long seconds)
{
    char usec[32];

    drop_capabilities();
    snprintf(usec, sizeof(usec), "%ld", seconds * 1000000);
    setenv("NOTIFY_SOCKET", NAME, 1);
    setenv("WATCHDOG_USEC", usec, 1);
    execvp(command[0], command);
    err(127, "%s", command[0]);
}

/* A clock that cannot be set. */
static time_t seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec;
}

/* Returns whether it was a sign of life. */
static int print_datagram(int fd)
{
    char text[1024];
    ssize_t length = recv(fd, text, sizeof(text) - 1, 0), i;

    if (length < 0)
        return 0;
    text[length] = '\0';
    for (i = 0; i < length; i++)
        if (text[i] == '\n')
            text[i] = ' ';
    puts(text);
    fflush(stdout);

    return !strncmp(text, "WATCHDOG=1", 10);
}

static int watch(int fd, long seconds)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    time_t alive = 0, now;
    int status;

    for (;;) {
        if (poll(&poll_fd, 1, 200) > 0 && print_datagram(fd))
            alive = seconds_now();
        /* Prints what the command said last. */
        if (waitpid(child, &status, WNOHANG) == child)
            break;
        now = seconds_now();
        if (alive && now - alive > seconds) {
            puts("watchdog: killed");
            fflush(stdout);
            kill(child, SIGKILL);
            alive = 0;
        }
    }
    while (poll(&poll_fd, 1, 0) > 0)
        print_datagram(fd);

    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    long seconds = argc > 2 ? atol(argv[1]) : 0;
    int fd;

    if (seconds <= 0)
        errx(64, "usage: as-service SECONDS COMMAND...");
    fd = listen_here();
    child = fork();
    if (child < 0)
        err(1, "fork");
    if (!child)
        become(argv + 2, seconds);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);

    return watch(fd, seconds);
}
