/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs another program and collects its output, and finds programs of this installation.
 *
 * Input and output of a program are files in memory: neither side waits for the other, and
 * the kernel limits how much the program may write.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/* The child's exit code if there is no such program, as in a shell. */
#define NOT_FOUND 127

enum { IN, OUT, ERRORS, FILES };

static int open_files(const char *input, int fd[FILES])
{
    size_t length = strlen(input);
    int i;

    for (i = 0; i < FILES; i++)
        fd[i] = -1;
    for (i = 0; i < FILES; i++) {
        fd[i] = memfd_create("xensched", MFD_CLOEXEC);
        if (fd[i] < 0)
            return -errno;
    }
    if (write(fd[IN], input, length) != (ssize_t)length)
        return -EIO;
    lseek(fd[IN], 0, SEEK_SET);

    return 0;
}

static void close_files(const int fd[FILES])
{
    int i;

    for (i = 0; i < FILES; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

/* Runs in the child. */
static void exec_program(const struct program *program, const int fd[FILES])
{
    struct rlimit limit = { program->most, program->most };
    int i;

    for (i = 0; i < FILES; i++)
        if (dup2(fd[i], i) < 0)
            _exit(NOT_FOUND);
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    execvp(program->argv[0], (char *const *)program->argv);
    _exit(NOT_FOUND);
}

static int take_output(int fd, struct program_end *end)
{
    off_t length = lseek(fd, 0, SEEK_END);

    if (length < 0)
        return -errno;
    end->out = malloc(length + 1);
    if (!end->out)
        return -ENOMEM;
    if (pread(fd, end->out, length, 0) != length) {
        free(end->out);
        return -EIO;
    }
    end->out[length] = '\0';
    end->length = length;

    return 0;
}

/* Reads errors without the newlines at the end. */
static void take_errors(int fd, struct program_end *end)
{
    ssize_t length = pread(fd, end->says, sizeof(end->says) - 1, 0);

    if (length < 0)
        length = 0;
    while (length && end->says[length - 1] == '\n')
        length--;
    end->says[length] = '\0';
}

static int wait_for(pid_t child, const struct program *program,
                    struct program_end *end, struct xensched_error *err)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return xensched_fail(err, errno, "cannot wait for %s: %s",
                                 program->argv[0], strerror(errno));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        return xensched_fail(err, EFBIG, "%s prints more than %zu MiB", program->argv[0],
                             program->most >> 20);
    if (WIFSIGNALED(status))
        return xensched_fail(err, EIO, "%s was killed by signal %d",
                             program->argv[0], WTERMSIG(status));
    end->code = WEXITSTATUS(status);
    if (end->code == NOT_FOUND)
        return xensched_fail(err, ENOENT, "there is no program '%s'; install "
                             "it", program->argv[0]);

    return 0;
}

int program_run(const struct program *program, struct program_end *end,
                struct xensched_error *err)
{
    int fd[FILES], rc = open_files(program->input, fd);
    pid_t child = rc ? -1 : fork();

    if (!child)
        exec_program(program, fd);
    if (child < 0)
        rc = xensched_fail(err, rc ? -rc : errno, "cannot start %s: %s",
                           program->argv[0], strerror(rc ? -rc : errno));
    if (!rc)
        rc = wait_for(child, program, end, err);
    if (!rc) {
        rc = take_output(fd[OUT], end);
        if (rc)
            xensched_fail(err, -rc, "cannot hear %s: %s", program->argv[0],
                          strerror(-rc));
    }
    if (!rc)
        take_errors(fd[ERRORS], end);
    close_files(fd);

    return rc;
}

/* Finds a program of the same installation. */

const char *sibling_path(char path[PATH_MAX], const char *name)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length <= 0 || length + strlen(name) >= PATH_MAX)
        return name;
    strcpy(path + length, name);

    return access(path, X_OK) ? name : path;
}
