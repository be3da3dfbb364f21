/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A unit that goes finds nothing in the caches, and brings it along.
 * It is paid once, for as long as a place is kept.
 */
#include "term.h"

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    const struct unit *u = &p->units[unit];

    if (spot == u->origin || p->horizon <= 0)
        return 0;

    return u->demand.vcpus * p->prices.refill * p->prices.line[OTHER_PLACE] /
           p->horizon;
}

const struct term term_moving = { "moving", price };
