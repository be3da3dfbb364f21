/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints messages to standard error, one line each.
 *
 * A name of a domain can have any bytes; in a message it cannot begin a line or control the
 * terminal.
 */
#include <stdio.h>

#include "message.h"
#include "text.h"

static void print_line(const char *program, const char *format, va_list args)
{
    char text[2048];

    vsnprintf(text, sizeof(text), format, args);
    printable(text);
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program, text);
}

void say(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line("xenschedd", format, args);
    va_end(args);
}

void vcomplain(const char *format, va_list args)
{
    print_line("xensched", format, args);
}

void complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line("xensched", format, args);
    va_end(args);
}
