/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices misses that memory on another node serves, because they take longer.  For guests whose
 * pages were not found, the price is 0 everywhere.
 */
#include "term.h"

static double price_memory(const struct placement *p, unsigned int unit,
                           unsigned int spot)
{
    return spot == ANYWHERE ? p->memory_stray[unit]
                            : p->memory[unit * p->nr_spots + spot];
}

const struct term term_memory = { "memory", price_memory };
