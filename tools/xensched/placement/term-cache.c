/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices a shared last-level cache: guests whose working sets do not fit together cause misses
 * of each other.  Only counted misses have a price.
 */
#include "term.h"

static double price_cache(const struct placement *p, unsigned int unit,
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

    /* Twice, because each of both loses to the other. */
    return 2 * sum / p->prices.hunger * p->prices.eaten *
           p->prices.memory_local;
}

const struct term term_cache = { "cache", price_cache };
