/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycles.h - take the time of something short, and the least, the median and
 * the greatest of many times.  Knows nothing of what is measured.
 */
#ifndef CYCLES_H
#define CYCLES_H

#include <stddef.h>
#include <stdint.h>

/* Now, in TSC cycles, with everything before finished. */
static inline uint64_t cycles_begin(void)
{
    uint64_t now;

    __builtin_ia32_lfence();
    now = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();

    return now;
}

static inline uint64_t cycles_end(void)
{
    unsigned int cpu;
    uint64_t now = __builtin_ia32_rdtscp(&cpu);

    __builtin_ia32_lfence();

    return now;
}

/* Cycles which cycles_begin() and cycles_end() take themselves. */
double cycles_overhead(void);

struct samples {
    double *value;
    size_t nr, room;
};

struct summary {
    double min, median, max;
};

void samples_add(struct samples *samples, double value);
/* All 0 without samples. */
struct summary samples_summary(struct samples *samples);

#endif /* CYCLES_H */
