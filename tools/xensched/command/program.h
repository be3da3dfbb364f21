/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - run another program to its end, and take what it says.
 *
 * For programs that few users of xensched need, so that it need not bring their
 * libraries along.
 */
#ifndef XENSCHED_PROGRAM_H
#define XENSCHED_PROGRAM_H

#include <stddef.h>

#include <xensched/error.h>

struct program {
    const char *const *argv; /* the first is looked for in PATH */
    const char *input;       /* what it reads */
    size_t most;             /* bytes that it may write */
};

struct program_end {
    int code;         /* its exit code */
    char *out;        /* what it wrote, with a 0 behind it; to be freed */
    size_t length;
    char says[256];   /* the beginning of its errors */
};

/*
 * Returns 0 when it has ended by itself, with whatever code; -ENOENT: there is no
 * such program; -EFBIG: it wrote more than @most.  Only with 0 there is an *end.
 */
int program_run(const struct program *program, struct program_end *end,
                struct xensched_error *err);

#endif /* XENSCHED_PROGRAM_H */
