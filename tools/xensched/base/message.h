/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message.h - prints one line to standard error, without control characters.
 *
 * Formats are those of printf(3), without a newline at the end.
 */
#ifndef XENSCHED_BASE_MESSAGE_H
#define XENSCHED_BASE_MESSAGE_H

#include <stdarg.h>

/*
 * Prints a line "xenschedd: ..." for the operator.  systemd and others keep it; the daemon's
 * decisions and their reasons go to its journal instead.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line "xensched: ..." for the user of a command. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void vcomplain(const char *format, va_list args);

#endif /* XENSCHED_BASE_MESSAGE_H */
