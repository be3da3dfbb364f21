/* SPDX-License-Identifier: LGPL-2.1-only */
/* Formats the text of struct xensched_error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <xensched/error.h>

int xensched_fail(struct xensched_error *err, int code,
                  const char *format, ...)
{
    va_list args;

    /* Some functions fail without setting errno. */
    if (!code)
        code = EIO;
    if (err) {
        err->code = -code;
        va_start(args, format);
        vsnprintf(err->text, sizeof(err->text), format, args);
        va_end(args);
    }

    return -code;
}
