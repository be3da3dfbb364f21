/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * search.h - finds the spots at which all units together cost least.
 *
 * A local search moves single units and pairs that communicate, and exchanges units, until no
 * step lowers the cost.  Then it makes random moves and repeats.  A unit that ends at another
 * spot gains its threshold at least.  The same placement gives the same result.
 */
#ifndef XENSCHED_PLACEMENT_SEARCH_H
#define XENSCHED_PLACEMENT_SEARCH_H

#include "placement.h"

/* A smaller difference of prices is rounding, in ns/s. */
#define PRICE_ROUNDING 1.0

/* The price of @unit at @spot in ns/s, with the threshold of a move there. */
double search_price(const struct placement *p, unsigned int unit, unsigned int spot);

/* Sets thresholds by the units' costs at their spots.  Call it after placement_ready(). */
void search_prepare(struct placement *p);

/*
 * Returns the effort for a host of this size, within bounds.  The search itself takes pCPU time, so
 * the effort is less where little can be saved, and if the search before this one was less than a
 * second ago.  @seconds: since then.
 */
unsigned long search_effort(const struct placement *p, double seconds);

/* @effort: the number of prices that the search may compute. */
void search_run(struct placement *p, unsigned long effort);

/* Returns the best other spot if all other units stay; ANYWHERE: there is none. */
unsigned int search_alternative(const struct placement *p, unsigned int unit);

#endif /* XENSCHED_PLACEMENT_SEARCH_H */
