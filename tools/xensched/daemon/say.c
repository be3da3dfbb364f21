/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints one line to standard error. */
#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"
#include "say.h"

/* A name of a domain can be any bytes: it begins no line and drives no terminal. */
void say(const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    printable(text);
    fprintf(stderr, "xenschedd: %s\n", text);
}
