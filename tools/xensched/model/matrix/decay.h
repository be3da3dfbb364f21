/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decay.h - sums that are forgotten little by little, and the rates that they stand
 * for.
 *
 * A sum is as of a time; half of it is left a half-life later.  Amount a per second
 * makes a sum of a * half-life / ln 2 in the long run; the other way round a sum stands
 * for this rate.
 */
#ifndef XENSCHED_MODEL_DECAY_H
#define XENSCHED_MODEL_DECAY_H

#include <math.h>
#include <stdint.h>

/* What is left at @now_ns of @sum, which is as of @at_ns; all, if that is later. */
static inline double decay_left(double sum, uint64_t at_ns, uint64_t now_ns,
                                uint64_t half_life_ns)
{
    if (now_ns <= at_ns)
        return sum;

    return sum * exp2(-(double)(now_ns - at_ns) / half_life_ns);
}

/* Per second. */
static inline double decay_rate(double left, uint64_t half_life_ns)
{
    return left * M_LN2 * 1e9 / half_life_ns;
}

#endif /* XENSCHED_MODEL_DECAY_H */
