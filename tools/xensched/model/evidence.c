/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes an interval for the mean of paired differences that is valid at every
 * moment, because a trial decides after each pair whether to go on.
 */
#include <math.h>

#include "evidence.h"

/* Variance of the effect size, in standard deviations, under the prior. */
#define PRIOR 1.0

#define MOST 1000000U

/* Welford's update. */
void evidence_add(struct evidence *e, double difference)
{
    double from_former = difference - e->mean;

    e->n++;
    e->mean += from_former / e->n;
    e->squares += from_former * (difference - e->mean);
}

double evidence_deviation(const struct evidence *e)
{
    return e->n < 2 ? 0 : sqrt(e->squares / (e->n - 1));
}

/*
 * The Bayes factor against mean 0 is sqrt(r) * ((1 + u) / (1 + r u))^(n/2), with
 * u = t^2 / (n - 1) and r = 1 / (1 + n * PRIOR).  It is a martingale under mean 0, so it exceeds
 * 1 / alpha with probability alpha at most, at whatever times it is computed.
 */
double evidence_radius(double deviation, unsigned int n, double alpha)
{
    double r = 1 / (1 + n * PRIOR), bound, u;

    if (n < 2)
        return INFINITY;
    bound = pow(1 / (alpha * sqrt(r)), 2.0 / n);
    if (r * bound >= 1)
        return INFINITY;
    u = (bound - 1) / (1 - r * bound);

    return deviation / sqrt(n) * sqrt((n - 1) * u);
}

bool evidence_interval(const struct evidence *e, double alpha, double *low,
                       double *high)
{
    double radius = evidence_radius(evidence_deviation(e), e->n, alpha);

    *low = e->mean - radius;
    *high = e->mean + radius;

    return isfinite(radius);
}

/* The radius falls as @n rises, so doubles @n until it suffices, then bisects. */
unsigned int evidence_needed(double deviation, double radius, double alpha)
{
    unsigned int low = 1, high = 2;

    while (evidence_radius(deviation, high, alpha) > radius) {
        if (high >= MOST)
            return 0;
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        unsigned int middle = low + (high - low) / 2;

        if (evidence_radius(deviation, middle, alpha) > radius)
            low = middle;
        else
            high = middle;
    }

    return high;
}
