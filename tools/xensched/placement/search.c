/* SPDX-License-Identifier: GPL-2.0-only */
/* Searches moves and exchanges until none lowers the cost. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "search.h"
#include "term.h"

/* The number of units that are put back in the time of one price. */
#define PUTS 32

/* The largest number of units that are tried as the one that makes room. */
#define ASKED 24

/* Prices computed for each unit and spot. */
#define EFFORT     500
#define EFFORT_MIN 10000
#define EFFORT_MAX 200000

/*
 * All moves together save at most the cost of the movable units.  Searches take at most a share of
 * this cost, STAKE_PART.  A search may always compute EFFORT_LEAST prices for each unit and spot,
 * with which it examines every unit.
 */
#define STAKE_PART   0.02
#define NS_PER_PRICE 100
#define EFFORT_LEAST 20

/*
 * The search continues from a result that is worse than the best one by at most SLACK of all
 * prices.  After ASTRAY kicks without a better result, it continues from the best one.
 */
#define SLACK  0.02
#define ASTRAY 64

/* Restarts of the search, which share half of the effort. */
#define RESTARTS 4

struct step {
    unsigned int unit, from;
};

struct search {
    struct placement *p;
    long effort;
    uint64_t seed;
    /* The steps since the latest accepted state. */
    struct step *steps;
    unsigned int nr_steps, max_steps;
    double gained;
    /* The gain until then, and the best gain. */
    double value, best_value, slack;
    unsigned int *best; /* [unit]: spot */
    unsigned int *movable, nr_movable;
    /* Units to examine. */
    unsigned int *queue, head, nr_queued;
    bool *queued;
    bool *locked; /* [unit]: not examined, even if queued */
    double *prices; /* [spot], of the examined unit */
};

double search_price(const struct placement *p, unsigned int unit, unsigned int spot)
{
    const struct unit *u = &p->units[unit];

    return terms_price(p, unit, spot) + (spot == u->origin ? 0 : u->threshold);
}

static bool is_left(const struct search *s)
{
    return s->effort > 0;
}

static double cost_of(struct search *s, unsigned int unit, unsigned int spot)
{
    s->effort--;

    return search_price(s->p, unit, spot);
}

static void enqueue_unit(struct search *s, unsigned int unit)
{
    if (s->queued[unit] || !s->p->units[unit].movable)
        return;
    s->queued[unit] = true;
    s->queue[(s->head + s->nr_queued++) % s->p->nr_units] = unit;
}

static void step_to(struct search *s, unsigned int unit, unsigned int spot)
{
    if (s->nr_steps == s->max_steps) {
        s->max_steps = 2 * s->max_steps + 64;
        s->steps = need_more_memory(s->steps, s->max_steps, sizeof(*s->steps));
    }
    s->steps[s->nr_steps++] = (struct step){
        unit, s->p->units[unit].at
    };
    placement_move(s->p, unit, spot);
}

/* Accepts the steps from @first on, and queues the units that they concern. */
static void settle_steps(struct search *s, unsigned int first, double gained)
{
    const struct placement *p = s->p;
    unsigned int i;

    s->gained += gained;
    for (; first < s->nr_steps; first++) {
        const struct unit *u = &p->units[s->steps[first].unit];

        enqueue_unit(s, s->steps[first].unit);
        for (i = u->first; i < u->first + u->nr; i++)
            enqueue_unit(s, p->partners[i].unit);
    }
}

static void undo_steps(struct search *s, unsigned int nr_steps)
{
    while (s->nr_steps > nr_steps) {
        const struct step *last = &s->steps[--s->nr_steps];

        placement_move(s->p, last->unit, last->from);
    }
}

/* Moves of a single unit. */

/* Returns the cheapest spot that fits the unit, and fills in @prices. */
static unsigned int best_spot(struct search *s, unsigned int unit,
                              double *prices, double *least)
{
    const struct unit *u = &s->p->units[unit];
    unsigned int spot, best = u->at;

    *least = cost_of(s, unit, u->at);
    for (spot = 0; spot < s->p->nr_spots; spot++) {
        prices[spot] = cost_of(s, unit, spot);
        if (prices[spot] < *least - PRICE_ROUNDING &&
            placement_fits(s->p, unit, spot)) {
            *least = prices[spot];
            best = spot;
        }
    }
    if (u->origin == ANYWHERE && u->at != ANYWHERE) {
        double stray = cost_of(s, unit, ANYWHERE);

        if (stray < *least - PRICE_ROUNDING) {
            *least = stray;
            best = ANYWHERE;
        }
    }

    return best;
}

static bool go_alone(struct search *s, unsigned int unit)
{
    double now = cost_of(s, unit, s->p->units[unit].at), least;
    unsigned int spot = best_spot(s, unit, s->prices, &least);

    if (spot == s->p->units[unit].at)
        return false;
    step_to(s, unit, spot);
    settle_steps(s, s->nr_steps - 1, now - least);

    return true;
}

/* Moves of two units that communicate. */

/* The saving if both were at @spot and all others stayed. */
static double saved_together(struct search *s, unsigned int unit,
                             const struct partner *partner, unsigned int spot,
                             double now, double partner_now)
{
    struct placement *p = s->p;
    unsigned int v = partner->unit;
    double twice = placement_line(p, unit, p->units[unit].at, v) +
                   p->line[spot * p->nr_spots + spot] -
                   placement_line(p, unit, spot, v) -
                   placement_line(p, v, spot, unit);

    return now - s->prices[spot] + partner_now - cost_of(s, v, spot) -
           partner->lines * twice;
}

/* Moves both if the exact saving, computed step by step, is large enough. */
static bool both_go(struct search *s, unsigned int unit, unsigned int other,
                    unsigned int spot)
{
    struct placement *p = s->p;
    unsigned int steps = s->nr_steps;
    double saved;

    if (!placement_fits(p, other, spot))
        return false;
    saved = cost_of(s, other, p->units[other].at) - cost_of(s, other, spot);
    step_to(s, other, spot);
    if (placement_fits(p, unit, spot)) {
        saved += cost_of(s, unit, p->units[unit].at) - cost_of(s, unit, spot);
        if (saved > PRICE_ROUNDING) {
            step_to(s, unit, spot);
            settle_steps(s, steps, saved);
            return true;
        }
    }
    undo_steps(s, steps);

    return false;
}

/* s->prices are those of @unit. */
static bool go_together(struct search *s, unsigned int unit)
{
    struct placement *p = s->p;
    const struct unit *u = &p->units[unit];
    double now = cost_of(s, unit, u->at);
    unsigned int i, spot;

    for (i = u->first; i < u->first + u->nr && is_left(s); i++) {
        const struct partner *partner = &p->partners[i];
        unsigned int v = partner->unit, best = ANYWHERE;
        double most = PRICE_ROUNDING, partner_now;

        if (!p->units[v].movable)
            continue;
        partner_now = cost_of(s, v, p->units[v].at);
        for (spot = 0; spot < p->nr_spots; spot++) {
            double saved;

            if (spot == u->at || spot == p->units[v].at)
                continue;
            saved = saved_together(s, unit, partner, spot, now, partner_now);
            if (saved > most) {
                most = saved;
                best = spot;
            }
        }
        if (best != ANYWHERE && both_go(s, unit, v, best))
            return true;
    }

    return false;
}

/* Moves to a spot at which another unit makes room. */

static bool makes_room(struct search *s, unsigned int unit, unsigned int spot,
                       unsigned int other, double saved)
{
    struct placement *p = s->p;
    unsigned int steps = s->nr_steps, to;
    double now, least, *prices = s->prices + p->nr_spots;

    step_to(s, unit, spot);
    now = cost_of(s, other, p->units[other].at);
    to = best_spot(s, other, prices, &least);
    /* Its own spot is the best one, but it has to leave: find the second best. */
    if (to == p->units[other].at) {
        unsigned int i;

        least = 1e300;
        for (i = 0; i < p->nr_spots; i++)
            if (i != to && prices[i] < least && placement_fits(p, other, i)) {
                least = prices[i];
                to = i;
            }
    }
    if (to != p->units[other].at && saved + now - least > PRICE_ROUNDING) {
        step_to(s, other, to);
        if (placement_holds(p, unit) && placement_holds(p, other)) {
            settle_steps(s, steps, saved + now - least);
            return true;
        }
    }
    undo_steps(s, steps);

    return false;
}

/* s->prices are those of @unit. */
static bool exchange_units(struct search *s, unsigned int unit)
{
    struct placement *p = s->p;
    const struct unit *u = &p->units[unit];
    double now = cost_of(s, unit, u->at), most = PRICE_ROUNDING;
    unsigned int spot, best = ANYWHERE, asked = 0, i;

    for (spot = 0; spot < p->nr_spots; spot++)
        if (now - s->prices[spot] > most && spot != u->at &&
            placement_allows(p, unit, spot)) {
            most = now - s->prices[spot];
            best = spot;
        }
    if (best == ANYWHERE || placement_fits(p, unit, best))
        return false;
    for (i = 1; i < p->nr_units && asked < ASKED && is_left(s); i++) {
        unsigned int other = (unit + i) % p->nr_units;

        if (!p->units[other].movable || p->units[other].at != best)
            continue;
        asked++;
        if (makes_room(s, unit, best, other, most))
            return true;
    }

    return false;
}

/* Examines queued units until no move lowers the cost. */
static void descend_queue(struct search *s)
{
    while (s->nr_queued && is_left(s)) {
        unsigned int unit = s->queue[s->head];

        s->head = (s->head + 1) % s->p->nr_units;
        s->nr_queued--;
        s->queued[unit] = false;
        if (s->locked[unit])
            continue;
        if (!go_alone(s, unit) && !go_together(s, unit))
            exchange_units(s, unit);
    }
}

static void forget_queue(struct search *s)
{
    for (; s->nr_queued; s->nr_queued--) {
        s->queued[s->queue[s->head]] = false;
        s->head = (s->head + 1) % s->p->nr_units;
    }
}

/* Random moves. */

static unsigned int random_below(struct search *s, unsigned int n)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;

    return (s->seed >> 11) % n;
}

static void keep_best(struct search *s)
{
    unsigned int i;

    s->best_value = s->value;
    for (i = 0; i < s->p->nr_units; i++)
        s->best[i] = s->p->units[i].at;
}

/* Moves all units to @spots. */
static void put_all(struct search *s, const unsigned int *spots)
{
    unsigned int i;

    s->effort -= s->nr_movable / PUTS;
    for (i = 0; i < s->p->nr_units; i++)
        if (s->p->units[i].at != spots[i])
            placement_move(s->p, i, spots[i]);
}

/* Moves a unit, even if that costs more. */
static void force_move(struct search *s, unsigned int unit, unsigned int spot)
{
    double lost = cost_of(s, unit, spot) -
                  cost_of(s, unit, s->p->units[unit].at);

    step_to(s, unit, spot);
    settle_steps(s, s->nr_steps - 1, -lost);
}

/* Moves a random unit to a random spot or its origin, or swaps it with another. */
static void disturb_unit(struct search *s)
{
    struct placement *p = s->p;
    unsigned int unit = s->movable[random_below(s, s->nr_movable)];
    unsigned int other = s->movable[random_below(s, s->nr_movable)];
    unsigned int spot = random_below(s, p->nr_spots + 1), from = p->units[unit].at;
    unsigned int steps = s->nr_steps;
    double gained = s->gained;

    if (spot == p->nr_spots)
        spot = p->units[unit].origin;
    if (spot == from)
        return;
    if (placement_fits(p, unit, spot)) {
        force_move(s, unit, spot);
        return;
    }
    spot = p->units[other].at;
    if (spot == from || spot == ANYWHERE || from == ANYWHERE)
        return;
    force_move(s, unit, spot);
    force_move(s, other, from);
    if (!placement_holds(p, unit) || !placement_holds(p, other)) {
        undo_steps(s, steps);
        s->gained = gained;
    }
}

/* Disturbs some units; they stay locked until the others have adapted. */
static void kick_units(struct search *s)
{
    unsigned int times = 1 + random_below(s, 1 + random_below(s, s->nr_movable)), first, i;

    s->effort -= 2;
    s->nr_steps = 0;
    s->gained = 0;
    while (times--)
        disturb_unit(s);
    forget_queue(s);
    first = s->nr_steps;
    settle_steps(s, 0, 0);
    for (i = 0; i < first; i++)
        s->locked[s->steps[i].unit] = true;
    descend_queue(s);
    for (i = 0; i < first; i++)
        s->locked[s->steps[i].unit] = false;
    settle_steps(s, 0, 0);
    descend_queue(s);
    forget_queue(s);
    if (!is_left(s) || s->value + s->gained < s->best_value - s->slack) {
        undo_steps(s, 0);
        return;
    }
    s->value += s->gained;
    if (s->value > s->best_value + PRICE_ROUNDING)
        keep_best(s);
}

/* Returns the cost of the movable units, in ns/s.  A pair of them counts twice. */
static double cost_of_movable(const struct placement *p)
{
    double sum = 0;
    unsigned int i;

    for (i = 0; i < p->nr_units; i++)
        if (p->units[i].movable)
            sum += terms_price(p, i, p->units[i].at);

    return sum;
}

unsigned long search_effort(const struct placement *p, double seconds)
{
    double pairs = (double)p->nr_units * p->nr_spots;
    double for_size = fmin(fmax(EFFORT * pairs, EFFORT_MIN), EFFORT_MAX);
    double for_stake = STAKE_PART * cost_of_movable(p) / NS_PER_PRICE;
    double in_time = fmin(for_size, for_stake) * fmin(seconds, 1);

    return fmin(for_size, fmax(in_time, EFFORT_LEAST * pairs));
}

void search_prepare(struct placement *p)
{
    unsigned int i;

    for (i = 0; i < p->nr_units; i++)
        p->units[i].threshold = p->least + p->margin *
            terms_price(p, i, p->units[i].origin);
}

/* Improves the current state as far as possible, and returns the gain. */
static double improve_state(struct search *s, long effort)
{
    unsigned int i;

    s->effort = effort;
    s->nr_steps = 0;
    s->gained = 0;
    for (i = 0; i < s->p->nr_units; i++)
        enqueue_unit(s, i);
    descend_queue(s);
    forget_queue(s);
    s->value += s->gained;
    keep_best(s);
    for (i = 1; is_left(s); i++) {
        kick_units(s);
        if (i % ASTRAY == 0) {
            put_all(s, s->best);
            s->value = s->best_value;
        }
    }
    put_all(s, s->best);
    s->value = s->best_value;

    return s->value;
}

/* Moves all units to random spots that fit them. */
static void shuffle_units(struct search *s)
{
    struct placement *p = s->p;
    unsigned int i;

    s->nr_steps = 0;
    s->gained = 0;
    for (i = 0; i < p->nr_units; i++) {
        unsigned int spot = random_below(s, p->nr_spots);

        if (p->units[i].movable && placement_fits(p, i, spot))
            force_move(s, i, spot);
    }
    forget_queue(s);
    s->value += s->gained;
}

/* Restarts from random states, which may lead to a better result. */
static void try_elsewhere(struct search *s, long effort)
{
    unsigned int nr = s->p->nr_units, i;
    unsigned int *first = need_memory(nr, sizeof(*first));
    double value = s->value;

    memcpy(first, s->best, nr * sizeof(*first));
    for (i = 0; i < RESTARTS; i++) {
        shuffle_units(s);
        if (improve_state(s, effort / RESTARTS) > value + PRICE_ROUNDING) {
            value = s->value;
            memcpy(first, s->best, nr * sizeof(*first));
        }
    }
    put_all(s, first);
    free(first);
}

void search_run(struct placement *p, unsigned long effort)
{
    struct search s = {
        .p = p,
        .slack = SLACK * cost_of_movable(p),
        .seed = 88172645463325252ULL,
        .best = need_memory(p->nr_units, sizeof(*s.best)),
        .movable = need_memory(p->nr_units, sizeof(*s.movable)),
        .queue = need_memory(p->nr_units, sizeof(*s.queue)),
        .queued = need_memory(p->nr_units, sizeof(*s.queued)),
        .locked = need_memory(p->nr_units, sizeof(*s.locked)),
        .prices = need_memory(2 * (size_t)p->nr_spots, sizeof(*s.prices)),
    };
    unsigned int i;

    for (i = 0; i < p->nr_units; i++)
        if (p->units[i].movable)
            s.movable[s.nr_movable++] = i;
    if (s.nr_movable) {
        improve_state(&s, effort / 2);
        try_elsewhere(&s, effort / 2);
    }
    free(s.steps);
    free(s.best);
    free(s.movable);
    free(s.queue);
    free(s.queued);
    free(s.locked);
    free(s.prices);
}

unsigned int search_alternative(const struct placement *p, unsigned int unit)
{
    const struct unit *u = &p->units[unit];
    unsigned int spot, best = ANYWHERE;
    double least = 0;

    for (spot = 0; spot < p->nr_spots; spot++) {
        double price;

        if (spot == u->at ||
            p->usable[unit * p->nr_spots + spot] < u->width)
            continue;
        price = terms_price(p, unit, spot);
        if (best == ANYWHERE || price < least) {
            best = spot;
            least = price;
        }
    }

    return best;
}
