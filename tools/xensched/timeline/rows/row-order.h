/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * row-order.h - sort what consists of a few runs that are in order already, such
 * as the rows of several log files, and find a time in what is in order.
 * Equal members keep their order.
 */
#ifndef XENSCHED_TIMELINE_ROW_ORDER_H
#define XENSCHED_TIMELINE_ROW_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does @a have to come after @b? */
typedef bool order_after(const void *a, const void *b);

/* Sort @nr members of @size bytes each.  Without memory the program ends. */
void order_sort(void *members, size_t nr, size_t size, order_after *after);

/*
 * How many of @nr members of @size bytes each are not later than @ns?  They are
 * in order by a uint64_t, which is at @offset of each.
 */
size_t order_until(const void *members, size_t nr, size_t size, size_t offset,
                   uint64_t ns);

#endif /* XENSCHED_TIMELINE_ROW_ORDER_H */
