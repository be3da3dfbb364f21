/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs threads that stay on one CPU, and takes medians of times. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "spin.h"

bool spin_on(unsigned int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);

    return !sched_setaffinity(0, sizeof(set), &set);
}

double spin_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1e9 + now.tv_nsec;
}

bool spin_goes_on(double begin_ns, unsigned int nr)
{
    double ns = spin_now_ns() - begin_ns;

    return nr < SPIN_SAMPLES &&
           (ns < SPIN_NS || (nr < SPIN_LEAST && ns < SPIN_PATIENCE_NS));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double spin_median(double *values, unsigned int nr)
{
    if (nr < SPIN_LEAST)
        return -1;
    qsort(values, nr, sizeof(*values), ascending);

    return values[nr / 2];
}
