/* SPDX-License-Identifier: GPL-2.0-only */
/* line-ring.h - loads from a ring of cache lines in no order, each of which needs the one before. */
#ifndef LINE_RING_H
#define LINE_RING_H

#include <stddef.h>

#define LINE 64

/* Makes a ring of all @nr lines of @bytes, and returns its beginning. */
void **line_ring_make(char *bytes, size_t nr);

/* Returns where it is after @loads loads. */
void **line_ring_follow(void **at, size_t loads);

#endif /* LINE_RING_H */
