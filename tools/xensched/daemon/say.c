/* SPDX-License-Identifier: GPL-2.0-only */
/* say.c - see say.h. */
#include <stdarg.h>
#include <stdio.h>

#include "say.h"

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    flockfile(stderr);
    fputs("xenschedd: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(args);
}
