/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices threads of one core: if the units at a place demand more cores than it has, some vCPUs
 * run beside another one on the same core, and both are slower.  A vCPU without a thread waits,
 * which has its own price.
 */
#include "term.h"

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    double beside = p->siblings ? crowd_price(p, unit, spot, crowd_excess, p->place_cores) : 0;

    /* Without a lack of cores there is no lack of threads. */
    if (beside > 0)
        beside -= crowd_price(p, unit, spot, crowd_excess, p->place_threads);

    return p->prices.sibling * beside;
}

const struct term term_smt = { "smt", price };
