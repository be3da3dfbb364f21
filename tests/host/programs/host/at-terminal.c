/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a command in a terminal, and presses a key there.
 *
 * Usage: at-terminal MILLISECONDS KEY COMMAND...
 *
 * The terminal has 24 lines of 160 columns. The key is pressed after this time.
 * What the command shows is printed as it comes, with all control sequences. The
 * exit code is that of the command, or 99 if a signal ended it; it is ended by one
 * if it has not gone 10 s after the key.
 */

#include <err.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 10000

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until it ends: false, and its terminal is gone, or until then. */
static bool show_until(int terminal, long end)
{
    struct pollfd poll_fd = { .fd = terminal, .events = POLLIN };
    char text[4096];
    ssize_t n;

    while (now_ms() < end) {
        if (poll(&poll_fd, 1, end - now_ms()) <= 0)
            continue;
        n = read(terminal, text, sizeof(text));
        if (n <= 0)
            return false;
        if (write(STDOUT_FILENO, text, n) != n)
            err(98, "standard output");
    }

    return true;
}

int main(int argc, char **argv)
{
    struct winsize size = { .ws_row = 24, .ws_col = 160 };
    int terminal, status;
    pid_t child;

    if (argc < 4)
        errx(98, "usage: at-terminal MILLISECONDS KEY COMMAND...");
    child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0)
        err(98, "no terminal");
    if (!child) {
        execvp(argv[3], argv + 3);
        err(98, "%s", argv[3]);
    }

    if (show_until(terminal, now_ms() + atol(argv[1])) &&
        write(terminal, argv[2], 1) == 1 &&
        show_until(terminal, now_ms() + PATIENCE_MS))
        kill(child, SIGKILL);
    if (waitpid(child, &status, 0) < 0)
        err(98, "%s", argv[3]);

    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
