/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices the wake-ups that nearness adds.
 *
 * A distant back end finds several requests when it runs; a near one is woken for almost
 * each of them.  So the wake-ups that are counted while two are apart show how many more
 * there would be if they were together.
 */
#include "term.h"

static double price_wakes(const struct placement *p, unsigned int unit,
                          unsigned int spot)
{
    const struct unit *u = &p->units[unit];
    double sum = 0;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++) {
        const struct partner *partner = &p->partners[i];

        if (partner->more_wakes > 0)
            sum += partner->more_wakes *
                   (1 - placement_apart(p, unit, spot, partner->unit));
    }

    return sum * p->prices.wake;
}

const struct term term_wakes = { "wakes", price_wakes };
