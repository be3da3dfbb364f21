/* SPDX-License-Identifier: GPL-2.0-only */
/* disturbance.c - see disturbance.h. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "disturbance.h"

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);

    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static uint64_t read_steal(void)
{
    uint64_t ticks = 0;
    FILE *f = fopen("/proc/stat", "re");

    if (!f)
        return 0;
    if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
        ticks = 0;
    fclose(f);

    return ticks * (1000000000ULL / sysconf(_SC_CLK_TCK));
}

/* Both clocks are slewed alike; what is between them changes when one is set. */
void disturbance_begin(struct disturbance *d)
{
    d->steal_ns = read_steal();
    d->clock_ns = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);
}

void disturbance_end(struct disturbance *d)
{
    struct disturbance now;

    disturbance_begin(&now);
    d->clock_ns = now.clock_ns - d->clock_ns;
    d->steal_ns = now.steal_ns - d->steal_ns;
}
