/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - reads the figures that a workload prints, each in a line of its own:
 *
 *     value NAME NUMBER [UNIT]
 *
 * The output arrives in parts, since more of it is written than is kept.
 */
#ifndef XENSCHED_RUNS_VALUES_H
#define XENSCHED_RUNS_VALUES_H

#include "store.h"

#define VALUES_LINE 320

struct values {
    struct run_outcome *outcome; /* whose values, and refusal, are filled in */
    char line[VALUES_LINE];      /* the one that has begun */
    size_t length;               /* of that; more than the buffer: too long */
};

void values_take(struct values *v, const char *part, size_t length);

/* The last line may have no line break. */
void values_end(struct values *v);

void values_free(struct run_outcome *o);

#endif /* XENSCHED_RUNS_VALUES_H */
