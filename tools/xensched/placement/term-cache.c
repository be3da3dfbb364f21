/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests whose working sets do not fit into a last-level cache
 * take it away from each other.  Only of misses that were counted.
 */
#include "term.h"

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    const struct unit *u = &p->units[unit];
    double sum = 0;
    unsigned int i;

    if (!u->misses_counted)
        return 0;
    for (i = 0; i < p->nr_caches; i++) {
        double there = placement_part(p, unit, spot, i) * u->misses;
        double here = placement_part(p, unit, u->at, i) * u->misses;

        sum += there * (p->missed[i] - here);
    }

    /* Both lose: the one to the other, and the other way round. */
    return 2 * sum / p->prices.hunger * p->prices.eaten *
           p->prices.memory_local;
}

const struct term term_cache = { "cache", price };
