/* SPDX-License-Identifier: GPL-2.0-only */
/* complain.c - what a user is told on stderr; see command.h. */
#include <stdio.h>

#include "command.h"
#include "base/printable.h"

void vcomplain(const char *format, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof(text), format, args);
    printable(text);
    fflush(stdout);
    fprintf(stderr, "xensched: %s\n", text);
}

void complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vcomplain(format, args);
    va_end(args);
}
