/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices the moves of vCPUs between the pCPUs of a place.
 *
 * A vCPU that wakes up moves if another one keeps its former pCPU busy, which is the more
 * likely the busier others keep the place.  The moves that Xen counts at its current place show
 * how often that happens.  The vCPU then fetches the lines from the caches of its former core
 * again: within one cache, a line takes as long as from another core.
 */
#include "term.h"

/* Lines that a vCPU fetches again: those that it uses until it blocks. */
static double lines_again(const struct placement *p, const struct unit *u)
{
    double used = 1e9 * u->demand.need / u->wakes * p->prices.touched;

    return used < p->prices.refill ? used : p->prices.refill;
}

static double price_at(const struct placement *p, unsigned int unit, unsigned int spot,
                       unsigned int place)
{
    const struct unit *u = &p->units[unit];

    return placement_part_of_place(p, unit, spot, place) *
           u->restless * placement_busy(p, unit, place) * lines_again(p, u) *
           p->prices.line[SAME_CACHE];
}

static double price_migrations(const struct placement *p, unsigned int unit,
                               unsigned int spot)
{
    double sum = 0;
    unsigned int i;

    if (p->units[unit].restless <= 0)
        return 0;
    if (spot != ANYWHERE)
        return price_at(p, unit, spot, p->spots[spot].place);
    for (i = 0; i < p->nr_places; i++)
        sum += price_at(p, unit, spot, i);

    return sum;
}

const struct term term_migrations = { "migrations", price_migrations };
