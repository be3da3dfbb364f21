/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * error.h - reports errors of the library.
 *
 * A function that can fail in more than one way takes a struct xensched_error as its last
 * parameter, which may be NULL.  It returns 0 (or another documented value) on success and a
 * negative errno value on failure.  On failure the text states in one line what failed and the
 * remedy, if there is one.  The text has no newline and is valid UTF-8 if the file names in it
 * are.  On success the structure does not change.
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
 * Fills in *err (if it is not NULL) and returns -code.  @code is a positive errno value; 0 (an
 * errno that was not set) becomes EIO, so that the function always returns an error.  @format is
 * as for printf(3).
 */
int xensched_fail(struct xensched_error *err, int code,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* XENSCHED_ERROR_H */
