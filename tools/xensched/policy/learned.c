/* SPDX-License-Identifier: GPL-2.0-only */
/* Averages measurements of moves, and decides when the mean is a price. */
#include <math.h>
#include <stdio.h>

#include "learned.h"

#define ALPHA 0.05

const char *back_end_kind_name(enum back_end_kind kind)
{
    static const char *const names[] = {
        [BACK_END_MAPS] = "map",
        [BACK_END_COPIES] = "copy",
        [BACK_END_EVENTS] = "notify",
    };

    return names[kind];
}

/* Halves the number of moves and keeps their variance. */
static void halve_evidence(struct learned_price *price)
{
    struct evidence *e = &price->extra;
    unsigned int half = e->n / 2;

    if (half)
        e->squares *= (double)half / e->n;
    e->n = half;
    if (!half)
        *price = (struct learned_price){ .aged = price->aged };
}

void learned_add(struct learned *l, enum back_end_kind kind,
                 const struct learned_move *move)
{
    struct learned_price *price = &l->of[kind];

    if (!(fabs(move->extra_ns) <= LEARNED_MOST_NS) ||
        !(move->near_ns >= 0 && move->near_ns <= LEARNED_MOST_NS) ||
        !(move->priced_ns > 0 && move->priced_ns <= LEARNED_MOST_NS))
        return;
    if (price->extra.n >= LEARNED_MOST)
        halve_evidence(price);
    evidence_add(&price->extra, move->extra_ns);
    price->near_ns += (move->near_ns - price->near_ns) / price->extra.n;
    price->priced_ns += (move->priced_ns - price->priced_ns) / price->extra.n;
    l->unsaved = true;
}

void learned_age(struct learned *l, int64_t unix_time)
{
    unsigned int i;

    for (i = 0; i < NR_BACK_END_KINDS; i++) {
        struct learned_price *price = &l->of[i];

        /* If the clock was set back, moves keep their age. */
        if (!price->extra.n || price->aged > unix_time)
            price->aged = unix_time;
        while (price->extra.n && unix_time - price->aged >= LEARNED_HALF_LIFE_S) {
            price->aged += LEARNED_HALF_LIFE_S;
            halve_evidence(price);
            l->unsaved = true;
        }
    }
}

bool learned_replaces(const struct learned_price *price)
{
    double low, high;

    return evidence_interval(&price->extra, ALPHA, &low, &high) &&
           (price->priced_ns < low || price->priced_ns > high);
}

double learned_extra(const struct learned *l, enum back_end_kind kind)
{
    if (!l || kind >= NR_BACK_END_KINDS || !learned_replaces(&l->of[kind]))
        return -1;

    return fmax(l->of[kind].extra.mean, 0);
}

void learned_describe(const struct learned *l, enum back_end_kind kind,
                      char text[LEARNED_TEXT])
{
    static const char *const units[] = {
        [BACK_END_MAPS] = "mapped page",
        [BACK_END_COPIES] = "copied page",
        [BACK_END_EVENTS] = "notification",
    };
    const struct learned_price *price = &l->of[kind];
    const struct evidence *e = &price->extra;
    double low, high;
    bool bounded = evidence_interval(e, ALPHA, &low, &high);
    int length = snprintf(text, LEARNED_TEXT, "learned from %u move%s: a %s costs %.1f us "
                          "near its back end, %.1f us from another place (%.1f us more",
                          e->n, e->n == 1 ? "" : "s", units[kind], price->near_ns / 1e3,
                          (price->near_ns + e->mean) / 1e3, e->mean / 1e3);

    if (bounded)
        length += snprintf(text + length, LEARNED_TEXT - length, ", 95 %% interval %.1f to "
                           "%.1f", low / 1e3, high / 1e3);
    snprintf(text + length, LEARNED_TEXT - length, "; %.1f by distances); %s",
             price->priced_ns / 1e3, learned_replaces(price)
             ? "this is the price now" : !bounded
             ? "more moves are needed to replace the price by distances"
             : "the interval contains the price by distances, which stays");
}
