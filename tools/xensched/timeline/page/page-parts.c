/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects the numbers of a page. */
#include "base/alloc.h"
#include "page-parts.h"

void page_number(struct page *p, uint64_t number)
{
    struct page_bytes *b = &p->data;

    for (; number > 127; number >>= 7)
        *list_add(b->at, b->nr, b->room) = 128 | (number & 127);
    *list_add(b->at, b->nr, b->room) = number;
}
