/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * windows.h - times of which rows are missing, for questions whether a time is one of them:
 * in order, and none touches the next one.  A question costs the logarithm of their number.
 */
#ifndef XENSCHED_TIMELINE_WINDOWS_H
#define XENSCHED_TIMELINE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window {
    uint64_t begin, end;
};

struct windows {
    struct window *window;
    size_t nr, room;
};

/* Callers add windows by their begin. */
void windows_add(struct windows *windows, uint64_t begin, uint64_t end);
void windows_free(struct windows *windows);

/* The index of the first window that ends after @ns. */
size_t windows_after(const struct windows *windows, uint64_t ns);

/* When the last window that ends at @ns or before ends; 0: there is none. */
uint64_t windows_before(const struct windows *windows, uint64_t ns);

/* Does a window have more than a moment in common with the time from @begin to @end? */
bool windows_overlap(const struct windows *windows, uint64_t begin, uint64_t end);

#endif /* XENSCHED_TIMELINE_WINDOWS_H */
