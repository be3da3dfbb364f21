/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices waiting: if the units at a place demand more cores than it has, some of them wait.
 */
#include "term.h"

#define NS_PER_S 1e9

static double waiting(double load, double cores)
{
    return load > cores ? load - cores : 0;
}

static double price_at(const struct placement *p, unsigned int unit,
                       unsigned int spot, unsigned int place)
{
    const struct unit *u = &p->units[unit];
    double there = placement_part_of_place(p, unit, spot, place);
    double here = placement_part_of_place(p, unit, u->at, place);
    unsigned int in_pool = placement_in_pool(p, u, place);
    double others = p->load[in_pool] - here * u->demand.need;
    double cores = p->place_cores[in_pool];

    return waiting(others + there * u->demand.need, cores) -
           waiting(others, cores);
}

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    double sum = 0;
    unsigned int i;

    if (spot != ANYWHERE)
        return NS_PER_S * price_at(p, unit, spot, p->spots[spot].place);
    for (i = 0; i < p->nr_places; i++)
        sum += price_at(p, unit, spot, i);

    return NS_PER_S * sum;
}

const struct term term_waiting = { "waiting", price };
