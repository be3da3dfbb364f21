/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * term.h - one consideration of where units should be, as a price.
 *
 * The price of a unit at a spot is what there would be less of without it, all
 * others being where they are: so the difference of two prices of a unit is
 * what the whole host gains or loses when it goes from the one to the other.
 *
 * A new term is one file and a row in terms.c.
 */
#ifndef XENSCHED_PLACEMENT_TERM_H
#define XENSCHED_PLACEMENT_TERM_H

#include "placement.h"

enum term_id {
    TERM_TALK,
    TERM_MEMORY,
    TERM_WAITING,
    TERM_CACHE,
    TERM_MOVING,
    TERM_WAKES,
    TERM_MIGRATIONS,
    TERM_QUEUEING,
    NR_TERMS
};

struct term {
    const char *name;
    /* ns/s, if @unit were at @spot (or ANYWHERE). */
    double (*price)(const struct placement *p, unsigned int unit,
                    unsigned int spot);
};

extern const struct term term_talk;
extern const struct term term_memory;
extern const struct term term_waiting;
extern const struct term term_cache;
extern const struct term term_moving;
extern const struct term term_wakes;
extern const struct term term_migrations;
extern const struct term term_queueing;

extern const struct term *const terms[NR_TERMS];

/* ns/s, of one of them, by how much it counts for @unit. */
double term_price(const struct placement *p, enum term_id term,
                  unsigned int unit, unsigned int spot);

/* Of all terms. */
double terms_price(const struct placement *p, unsigned int unit,
                   unsigned int spot);

#endif /* XENSCHED_PLACEMENT_TERM_H */
