/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * error.h - how the library reports that something went wrong.
 *
 * A function which can fail in more than one way takes a
 * struct xensched_error as its last parameter, which may be NULL.  It returns
 * 0 (or what its comment says) on success and a negative errno value on
 * failure, and then the text says in one line what failed and, where there is
 * one, the remedy.  The text has no newline and is valid UTF-8 if the file
 * names which it quotes are.  On success the structure is left alone.
 *
 * The library itself prints nothing and never ends the process.
 */
#ifndef XENSCHED_ERROR_H
#define XENSCHED_ERROR_H

struct xensched_error {
    int code; /* negative errno value, the same as was returned */
    char text[400];
};

/*
 * Fill in *err (if it is not NULL) and return -code.  @code is a positive
 * errno value; 0 (an errno that was not set) is taken as EIO, so that what is
 * returned always is an error.  @format is as for printf(3).
 */
int xensched_fail(struct xensched_error *err, int code,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* XENSCHED_ERROR_H */
