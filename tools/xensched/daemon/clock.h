/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the clock of the process; everything else is told what time it is.
 */
#ifndef XENSCHED_DAEMON_CLOCK_H
#define XENSCHED_DAEMON_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* What this process has used. */
static inline uint64_t cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);

    return used.tv_sec * 1000000000ULL + used.tv_nsec;
}

#endif /* XENSCHED_DAEMON_CLOCK_H */
