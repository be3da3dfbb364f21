/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * search.h - where all units together are best: what costs least.
 *
 * A local search: single units, two that communicate, and exchanges,
 * until nothing gains; then some chance, and again.  A unit that ends elsewhere
 * than it was gains its threshold at least.  The same placement gives the same
 * result.
 */
#ifndef XENSCHED_PLACEMENT_SEARCH_H
#define XENSCHED_PLACEMENT_SEARCH_H

#include "placement.h"

/* Thresholds, of what units cost where they are.  After placement_ready(). */
void search_prepare(struct placement *p);

/* What is enough for a host of this size, and not too much for a large one. */
unsigned long search_effort(const struct placement *p);

/* @effort: so many prices may be looked at. */
void search_run(struct placement *p, unsigned long effort);

/* The best other spot for a unit as all are now; ANYWHERE: there is none. */
unsigned int search_alternative(const struct placement *p, unsigned int unit);

#endif /* XENSCHED_PLACEMENT_SEARCH_H */
