/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alloc.h - memory which is there or the program ends.
 *
 * For the daemon, which can end at any point: what it changed is in its state
 * file before it is changed, and its restart puts it right.  The library
 * never uses this.
 */
#ifndef XENSCHED_BASE_ALLOC_H
#define XENSCHED_BASE_ALLOC_H

#include <stddef.h>

/* @nr * @size bytes, all 0; never NULL. */
void *need_memory(size_t nr, size_t size);

/* As realloc(3), for @nr * @size bytes; what is added is not cleared. */
void *need_more_memory(void *old, size_t nr, size_t size);

/* As strdup(3). */
char *need_string(const char *text);

#endif /* XENSCHED_BASE_ALLOC_H */
