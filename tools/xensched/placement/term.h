/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * term.h - declares a term: one cause of cost, as the price of a unit at a spot.
 *
 * The price is the amount by which the host's cost would fall without the unit, if all others
 * stayed.  So the difference of two prices of a unit is the gain or loss of the whole host if
 * the unit moves from one spot to the other.
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
    TERM_SMT,
    TERM_SHARING,
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
extern const struct term term_smt;
extern const struct term term_sharing;

extern const struct term *const terms[NR_TERMS];

/* ns/s of one term, times its weight for @unit. */
double term_price(const struct placement *p, enum term_id term,
                  unsigned int unit, unsigned int spot);

/* ns/s of all terms. */
double terms_price(const struct placement *p, unsigned int unit,
                   unsigned int spot);

#endif /* XENSCHED_PLACEMENT_TERM_H */
