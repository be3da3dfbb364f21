/* SPDX-License-Identifier: GPL-2.0-only */
/* Averages costs over windows and compares two averages by Student's t. */
#include <math.h>

#include "place-cost.h"

#define NS_PER_S 1e9

/* Fewer windows have no variance. */
#define LEAST_WINDOWS 2U

/* Two-sided Student's t for 99 %; strict, because every window repeats the test. */
static double student_t(unsigned int freedom)
{
    static const double t[] = {
        INFINITY, 63.7, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36, 3.25, 3.17,
        3.11, 3.05, 3.01, 2.98, 2.95, 2.92, 2.90, 2.88, 2.86, 2.85,
    };
    const unsigned int nr = sizeof(t) / sizeof(*t);

    return freedom < nr ? t[freedom] : t[nr - 1];
}

static void add_value(struct evidence *e, double value)
{
    if (e->n == PLACE_COST_WINDOWS) {
        e->squares *= (e->n - 1.0) / e->n;
        e->n--;
    }
    evidence_add(e, value);
}

/* @nr: windows, this one included. */
static void update_mean(double *mean, double value, unsigned int nr)
{
    *mean += (value - *mean) / nr;
}

static void begin_unit(struct place_cost *c, const struct work *work)
{
    c->unit = work->unit;
    c->copied = work->copied;
    c->cost = (struct evidence){ 0 };
    c->pcpu_ns = c->notifications = c->rate = c->apart = 0;
}

void place_cost_add(struct place_cost *c, const struct work *work, uint64_t window_ns,
                    double apart)
{
    if (work->unit == WORK_NONE)
        return;
    if (work->own_ns > 0)
        add_value(&c->waiting, work->waited_ns / work->own_ns);
    if (!c->cost.n || c->unit != work->unit || c->copied != work->copied)
        begin_unit(c, work);
    add_value(&c->cost, work_cost(work) + work->waited_ns / work->units);
    update_mean(&c->pcpu_ns, work_cost(work), c->cost.n);
    update_mean(&c->notifications, work->notifications / work->units, c->cost.n);
    update_mean(&c->rate, NS_PER_S * work->units / window_ns, c->cost.n);
    if (apart < 0 || c->apart < 0)
        c->apart = -1;
    else
        update_mean(&c->apart, apart, c->cost.n);
}

bool place_cost_comparable(const struct place_cost *before,
                           const struct place_cost *after)
{
    return before->cost.n >= LEAST_WINDOWS && before->unit == after->unit &&
           before->copied == after->copied;
}

/*
 * Assumes that both have one variance, because few windows at a place do not determine its
 * own.  @scale: the value of which PLACE_COST_NOISE is a part.
 */
static enum place_verdict compare_costs(const struct evidence *before,
                                        const struct evidence *after, double scale)
{
    double difference = after->mean - before->mean, radius;
    unsigned int freedom;

    if (before->n < LEAST_WINDOWS)
        return PLACE_UNKNOWN;
    if (after->n < LEAST_WINDOWS)
        return PLACE_OPEN;
    freedom = before->n + after->n - 2;
    radius = student_t(freedom) *
             sqrt((before->squares + after->squares) / freedom *
                  (1.0 / before->n + 1.0 / after->n));
    if (difference - radius > PLACE_COST_NOISE * scale)
        return PLACE_WORSE;

    return difference + radius < 0 ? PLACE_BETTER : PLACE_OPEN;
}

enum place_verdict place_cost_compare(const struct place_cost *before,
                                      const struct place_cost *after)
{
    if (!after->cost.n)
        return before->waiting.n < LEAST_WINDOWS ? PLACE_UNKNOWN : PLACE_OPEN;
    if (place_cost_comparable(before, after))
        return compare_costs(&before->cost, &after->cost, before->cost.mean);

    /* Waiting is per ns of running, so the scale is 1. */
    return compare_costs(&before->waiting, &after->waiting, 1);
}

bool place_cost_known(const struct place_cost *before, const struct place_cost *after)
{
    return before->waiting.n >= LEAST_WINDOWS && after->waiting.n;
}
