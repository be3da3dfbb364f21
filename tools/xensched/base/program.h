/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - runs another program to its end and collects its output, and finds the
 * programs of this installation.
 *
 * Few users of xensched need these programs, so xensched does without their libraries.
 */
#ifndef XENSCHED_BASE_PROGRAM_H
#define XENSCHED_BASE_PROGRAM_H

#include <limits.h>
#include <stddef.h>

#include <xensched/error.h>

struct program {
    const char *const *argv; /* the program, searched in PATH, and its arguments */
    const char *input;       /* its standard input */
    size_t most;             /* bytes that it may write */
};

struct program_end {
    int code;         /* exit code */
    char *out;        /* its output and a 0; the caller frees it */
    size_t length;
    char says[256];   /* the beginning of its errors */
};

/*
 * Returns 0 and sets *end if the program exited, with any code; -ENOENT if there is no such
 * program; -EFBIG if it wrote more than @most.
 */
int program_run(const struct program *program, struct program_end *end,
                struct xensched_error *err);

/*
 * Returns the path of the program @name in the folder of this one, in @path; or @name if the
 * folder has no such program.
 */
const char *sibling_path(char path[PATH_MAX], const char *name);

#endif /* XENSCHED_BASE_PROGRAM_H */
