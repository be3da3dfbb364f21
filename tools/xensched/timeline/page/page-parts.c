/* SPDX-License-Identifier: GPL-2.0-only */
/* page-parts.c - numbers of a page; see page-parts.h. */
#include "timeline/list.h"
#include "page-parts.h"

void page_number(struct page *p, uint64_t number)
{
    struct page_bytes *b = &p->data;

    for (; number > 127; number >>= 7)
        *list_add(b->at, b->nr, b->room) = 128 | (number & 127);
    *list_add(b->at, b->nr, b->room) = number;
}
