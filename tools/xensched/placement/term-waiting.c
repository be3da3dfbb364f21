/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices waiting: if the units at a place demand more pCPUs than it has, some of them wait.
 */
#include "term.h"

static double price_waiting(const struct placement *p, unsigned int unit,
                            unsigned int spot)
{
    return crowd_price(p, unit, spot, crowd_excess, p->place_threads);
}

const struct term term_waiting = { "waiting", price_waiting };
