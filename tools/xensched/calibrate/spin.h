/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spin.h - threads that stay on one CPU of this Linux, the time, and the median of
 * what was measured again and again.
 */
#ifndef XENSCHED_CALIBRATE_SPIN_H
#define XENSCHED_CALIBRATE_SPIN_H

#include <stdbool.h>

/* Runs may end by themselves before; samples of one measurement, at most. */
#define SPIN_SECONDS 0.1
#define SPIN_SAMPLES 1000
/* Fewer say nothing. */
#define SPIN_LEAST 8

/* The calling thread runs there only, from now on.  False: it cannot. */
bool spin_on(unsigned int cpu);

double spin_now_ns(void);

/* Of @nr numbers, which are sorted for it; -1: there are less than SPIN_LEAST. */
double spin_median(double *values, unsigned int nr);

#endif /* XENSCHED_CALIBRATE_SPIN_H */
