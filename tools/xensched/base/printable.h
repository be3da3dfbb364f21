/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * printable.h - keep text of others from driving the user's terminal.
 *
 * Names of domains and answers of a daemon come from outside; nothing of it
 * is printed as text before it went through here.
 */
#ifndef XENSCHED_BASE_PRINTABLE_H
#define XENSCHED_BASE_PRINTABLE_H

#include <stddef.h>

/* Replace the control characters in @text, in place, with '?'. */
void printable(char *text);

/* Columns which UTF-8 @text takes; wide characters count as one. */
size_t printable_width(const char *text);

#endif /* XENSCHED_BASE_PRINTABLE_H */
