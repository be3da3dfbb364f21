/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decay.h - sums that decay over time, and the rates that they represent.
 *
 * A sum belongs to a time; one half-life later, half of it is left.  An amount of a per second
 * makes a sum of a * half-life / ln 2 in the long run, and in reverse a sum represents that rate.
 */
#ifndef XENSCHED_MODEL_DECAY_H
#define XENSCHED_MODEL_DECAY_H

#include <math.h>
#include <stdint.h>

/* Returns what is left of @sum from @at_ns at @now_ns; all of it if @at_ns is later. */
static inline double decay_left(double sum, uint64_t at_ns, uint64_t now_ns,
                                uint64_t half_life_ns)
{
    if (now_ns <= at_ns)
        return sum;

    return sum * exp2(-(double)(now_ns - at_ns) / half_life_ns);
}

/* Returns the rate per second. */
static inline double decay_rate(double left, uint64_t half_life_ns)
{
    return left * M_LN2 * 1e9 / half_life_ns;
}

#endif /* XENSCHED_MODEL_DECAY_H */
