/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * utf8.h - makes UTF-8 of texts that others wrote, for formats that are UTF-8.
 *
 * Names of domains are bytes: xensched compares and passes them as they are.  JSON
 * and OpenMetrics are UTF-8, and a reader may refuse a whole file for one byte.
 */
#ifndef XENSCHED_BASE_UTF8_H
#define XENSCHED_BASE_UTF8_H

#include <stdbool.h>

bool utf8_is_valid(const char *text);

/* A copy with U+FFFD in place of each byte that is no UTF-8.  The caller frees it. */
char *utf8_made_valid(const char *text);

#endif /* XENSCHED_BASE_UTF8_H */
