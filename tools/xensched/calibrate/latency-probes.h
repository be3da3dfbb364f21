/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency-probes.h - measures latencies between CPUs of dom0, in ns, with threads that
 * stay on one CPU.  A probe returns -1 if it could not measure.
 */
#ifndef XENSCHED_CALIBRATE_LATENCY_PROBES_H
#define XENSCHED_CALIBRATE_LATENCY_PROBES_H

#include <stdbool.h>
#include <stddef.h>

/* The most, and the least, samples of one measurement. */
#define SPIN_SAMPLES 1000
#define SPIN_LEAST 8
/* Duration of one measurement; on a busy host until there are enough samples. */
#define SPIN_NS 1e8
#define SPIN_PATIENCE_NS 3e9

/* Binds the calling thread to @cpu; returns false if Linux refused. */
bool spin_on(unsigned int cpu);

double spin_now_ns(void);

/* Returns whether the measurement that began then needs another sample after @nr. */
bool spin_goes_on(double begin_ns, unsigned int nr);

/* Returns the median of @nr numbers, which it sorts; -1 for fewer than SPIN_LEAST. */
double spin_median(double *values, unsigned int nr);

/* Returns the time until CPU @b has a cache line that CPU @a changed. */
double changed_line_ns(unsigned int a, unsigned int b);

/* Returns the time of a load that no cache has, from @memory, which is overwritten. */
double uncached_load_ns(unsigned int cpu, void *memory, size_t bytes);

/*
 * Returns the time from a notification through an event channel on CPU @a until a process that
 * waits for it on CPU @b continues.
 */
double notification_ns(unsigned int a, unsigned int b);

#endif /* XENSCHED_CALIBRATE_LATENCY_PROBES_H */
