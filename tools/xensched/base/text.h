/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - formats text into temporary buffers, and makes untrusted text safe to print: it cannot
 * control a terminal, and is valid UTF-8.
 *
 * Names of domains and answers of a daemon are untrusted.  Each program passes them through
 * printable() before it prints them as text.
 */
#ifndef XENSCHED_BASE_TEXT_H
#define XENSCHED_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a text of text_format(); a longer one ends with "...". */
#define TEXT_BYTES 1024

/*
 * Formats like printf(3) into one of 32 static buffers, which the 32nd call from then overwrites.
 */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Appends to @text, which text_format() returned. */
void text_append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replaces the control characters in @text, in place, with '?'. */
void printable(char *text);

/* Returns the columns of UTF-8 @text; wide characters count as one. */
size_t printable_width(const char *text);

bool utf8_is_valid(const char *text);

/* A copy with U+FFFD in place of each byte that is no UTF-8.  The caller frees it. */
char *utf8_made_valid(const char *text);

#endif /* XENSCHED_BASE_TEXT_H */
