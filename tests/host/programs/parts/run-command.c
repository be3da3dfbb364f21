/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a command while a test program measures. */
#include <err.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run-command.h"

int run_command(char **command)
{
    int status;
    pid_t child = fork();

    if (!child) {
        execvp(command[0], command);
        err(127, "cannot run %s", command[0]);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        err(1, "cannot run %s", command[0]);

    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
