/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices the move itself: the caches at the new place contain none of the unit's lines.  The
 * unit pays once, so the price is spread over the time of a stay.
 */
#include "term.h"

static double price_moving(const struct placement *p, unsigned int unit,
                           unsigned int spot)
{
    const struct unit *u = &p->units[unit];

    if (spot == u->origin || p->horizon <= 0)
        return 0;

    return u->demand.vcpus * p->prices.refill * p->prices.line[OTHER_PLACE] /
           p->horizon;
}

const struct term term_moving = { "moving", price_moving };
