/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - reads the figures that a workload prints, and converts them between units that differ
 * in their prefix.
 */
#ifndef XENSCHED_RUNS_VALUES_H
#define XENSCHED_RUNS_VALUES_H

#include "store.h"

/*
 * Reads the figures that a workload prints, one per line:
 *
 *     value NAME NUMBER [UNIT]
 *
 * The output arrives in parts, because more of it is written than kept.
 */

#define VALUES_LINE 320

struct values {
    struct run_outcome *outcome; /* receives values and a refusal */
    char line[VALUES_LINE];      /* the current line */
    size_t length;               /* its length; more than the buffer: too long */
};

void values_take(struct values *v, const char *part, size_t length);

/* Adds a figure that the workload does not print.  The last one of a name counts. */
void values_set(struct run_outcome *o, const char *name, double value, const char *unit);

/* Ends the last line, which may have no line break. */
void values_end(struct values *v);

void values_free(struct run_outcome *o);

/*
 * Returns how many @to are one @from: 1000 for GB/s and MB/s, 1024 for MiB and KiB, 0 if they
 * cannot be converted.  k and K are both 1000.
 */
double units_factor(const char *from, const char *to);

#endif /* XENSCHED_RUNS_VALUES_H */
