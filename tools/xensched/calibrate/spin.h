/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spin.h - threads that stay on one CPU of this Linux, the time, and the median of
 * what was measured again and again.
 */
#ifndef XENSCHED_CALIBRATE_SPIN_H
#define XENSCHED_CALIBRATE_SPIN_H

#include <stdbool.h>

/* Of one measurement: samples at most, and at least, or they say nothing. */
#define SPIN_SAMPLES 1000
#define SPIN_LEAST 8
/* So long it takes; on a busy host until there are enough, but not for ever. */
#define SPIN_NS 1e8
#define SPIN_PATIENCE_NS 3e9

/* The calling thread runs there only, from now on.  False: it cannot. */
bool spin_on(unsigned int cpu);

double spin_now_ns(void);

/* Is another sample wanted, after @nr since then? */
bool spin_goes_on(double begin_ns, unsigned int nr);

/* Of @nr numbers, which are sorted for it; -1: there are less than SPIN_LEAST. */
double spin_median(double *values, unsigned int nr);

#endif /* XENSCHED_CALIBRATE_SPIN_H */
