/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory on another node takes longer with each miss of the
 * caches.  For guests whose pages were not found it is 0 everywhere.
 */
#include "term.h"

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    return spot == ANYWHERE ? p->memory_stray[unit]
                            : p->memory[unit * p->nr_spots + spot];
}

const struct term term_memory = { "memory", price };
