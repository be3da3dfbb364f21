/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures cycles of a short operation, and their quantiles. */
#include <assert.h>
#include <stdlib.h>

#include "cycles.h"

double cycles_overhead(void)
{
    uint64_t least = UINT64_MAX;
    int i;

    for (i = 0; i < 10000; i++) {
        uint64_t begin = cycles_begin();
        uint64_t took = cycles_end() - begin;

        if (took < least)
            least = took;
    }

    return least;
}

void samples_add(struct samples *samples, double value)
{
    if (samples->nr == samples->room) {
        samples->room = samples->room ? 2 * samples->room : 64;
        samples->value = realloc(samples->value,
                                 samples->room * sizeof(*samples->value));
        assert(samples->value);
    }
    samples->value[samples->nr++] = value;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

struct summary samples_summary(struct samples *samples)
{
    struct summary summary = { 0 };

    if (!samples->nr)
        return summary;
    qsort(samples->value, samples->nr, sizeof(*samples->value), compare);
    summary.min = samples->value[0];
    summary.median = samples->value[samples->nr / 2];
    summary.max = samples->value[samples->nr - 1];

    return summary;
}
