/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * row-order.h - sorts data that consist of a few sorted runs, such as the rows of several log
 * buffers, and finds a time in sorted data.  Equal members keep their order.
 */
#ifndef XENSCHED_TIMELINE_ROW_ORDER_H
#define XENSCHED_TIMELINE_ROW_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether @a has to come after @b. */
typedef bool order_after(const void *a, const void *b);

/* Sorts @nr members of @size bytes each.  Ends the program without memory. */
void order_sort(void *members, size_t nr, size_t size, order_after *after);

/*
 * Returns how many of @nr members of @size bytes each are not later than @ns.  They are sorted by a
 * uint64_t at @offset of each.
 */
size_t order_until(const void *members, size_t nr, size_t size, size_t offset,
                   uint64_t ns);

#endif /* XENSCHED_TIMELINE_ROW_ORDER_H */
