/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices the cache lines that units which communicate pass back and forth: the farther
 * apart the units are, the more a line costs.
 */
#include "term.h"

static double price_talk(const struct placement *p, unsigned int unit,
                         unsigned int spot)
{
    const struct unit *u = &p->units[unit];
    double sum = 0;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++)
        sum += p->partners[i].lines *
               placement_line(p, unit, spot, p->partners[i].unit);

    return sum;
}

const struct term term_talk = { "talk", price_talk };
