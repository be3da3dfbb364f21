/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * time-stamp.c - reads the counter that time stamps of rows come from.
 */
#include <xensched/clock.h>

#if defined(__x86_64__) || defined(__i386__)

uint64_t xensched_time_stamp(void)
{
    return __builtin_ia32_rdtsc();
}

#else

#include <pthread.h>

#define DOM0 0

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t distance;

/* The distance is constant while dom0 runs. */
static void ask_distance(void)
{
    struct xensched_clock clock;

    if (!xensched_clocks_of_domain(DOM0, 1, &clock, NULL))
        distance = clock.host_tsc - clock.guest_tsc;
}

uint64_t xensched_time_stamp(void)
{
    uint64_t now;

    pthread_once(&once, ask_distance);
    __asm__ volatile ("isb; mrs %0, cntvct_el0" : "=r" (now) :: "memory");

    return now + distance;
}

#endif
