/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * learned.h - keeps the prices that moves of guests have shown on this host: how much more
 * a unit of work costs from another place than near its back end.
 *
 * Each judged move that brought a guest near its back ends, or away from them, is one
 * measurement.  The mean over moves replaces the price by distances (prices.h) once its
 * 95 % interval excludes that price.  Measurements age: every half-life, half of them
 * no longer counts.
 *
 * Knows no host, clock or file: daemon/act/learned-file.h keeps it on disk.
 */
#ifndef XENSCHED_POLICY_LEARNED_H
#define XENSCHED_POLICY_LEARNED_H

#include <stdint.h>

#include "model/evidence.h"

/* The way in which a back end serves, on which the cost of distance depends. */
enum back_end_kind {
    BACK_END_MAPS,   /* it maps pages, or has them mapped: most disks */
    BACK_END_COPIES, /* it copies pages: most networks */
    BACK_END_EVENTS, /* no event counts its pages */
    NR_BACK_END_KINDS
};

/* "map", "copy", "notify": keys of the file and the socket */
const char *back_end_kind_name(enum back_end_kind kind);

#define LEARNED_HALF_LIFE_S (30 * 86400)

/* More moves than this make older ones count less. */
#define LEARNED_MOST 64U

/* ns per unit; a larger value is not a price. */
#define LEARNED_MOST_NS 1e9

struct learned_price {
    struct evidence extra; /* ns per unit, far less near: one per move */
    double near_ns;        /* per unit: mean over these moves */
    double priced_ns;     /* mean of the prices by distances, instead of extra */
    int64_t aged;          /* Unix time of the latest half-life */
};

struct learned {
    struct learned_price of[NR_BACK_END_KINDS];
    bool unsaved;
};

/* The measurement of one move. */
struct learned_move {
    double near_ns, extra_ns, priced_ns;
};

void learned_add(struct learned *l, enum back_end_kind kind,
                 const struct learned_move *move);

/* Ages the moves.  Call this at least once per half-life. */
void learned_age(struct learned *l, int64_t unix_time);

/* Returns whether the mean replaces the price by distances. */
bool learned_replaces(const struct learned_price *price);

/* Returns the ns that a unit costs more from elsewhere; -1: distances decide (@l may be NULL). */
double learned_extra(const struct learned *l, enum back_end_kind kind);

/* "learned from 14 moves: a mapped page costs 31.0 us near its back end, 44.0 us..." */
#define LEARNED_TEXT 300
void learned_describe(const struct learned *l, enum back_end_kind kind,
                      char text[LEARNED_TEXT]);

#endif /* XENSCHED_POLICY_LEARNED_H */
