/* SPDX-License-Identifier: GPL-2.0-only */
/* Detects clock changes and steal time during a run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "disturbance.h"

#ifndef PROC_STAT
#define PROC_STAT "/proc/stat"
#endif

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);

    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The first line has the sum of all CPUs, each of which has a line after it. */
static void read_steal(struct disturbance *d)
{
    char line[256];
    FILE *f = fopen(PROC_STAT, "re");

    if (!f)
        return;
    while (fgets(line, sizeof(line), f) && !strncmp(line, "cpu", 3))
        if (line[3] != ' ')
            d->cpus++;
        else if (sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
                        &d->steal_ticks) != 1)
            d->steal_ticks = 0;
    fclose(f);
}

/* Both clocks are slewed alike; what is between them changes when one is set. */
void disturbance_begin(struct disturbance *d)
{
    *d = (struct disturbance){
        .clock_ns = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC),
    };
    read_steal(d);
}

/* A single tick may have been stolen at any time before: the sum is rounded down. */
void disturbance_end(struct disturbance *d)
{
    const uint64_t tick_ns = 1000000000ULL / sysconf(_SC_CLK_TCK);
    struct disturbance now;
    uint64_t ticks;

    disturbance_begin(&now);
    d->clock_ns = now.clock_ns - d->clock_ns;
    ticks = now.steal_ticks > d->steal_ticks ? now.steal_ticks - d->steal_ticks
                                             : 0;
    d->steal_ns = ticks > 1 && now.cpus ? ticks * tick_ns / now.cpus : 0;
}
