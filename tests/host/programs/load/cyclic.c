/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wakes up at fixed times, works, and prints by how much its latest cycle was late, as
 * cyclictest measures a real-time system.
 *
 *   cyclic N PERIOD_US WORK_US
 *
 * The work of each of the N cycles takes WORK_US if nothing disturbs it.  So a cycle ends late
 * if the wake-up is late, and if the work is interrupted.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "ticks.h"

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void sleep_until(int64_t at)
{
    struct timespec time = { at / 1000000000, at % 1000000000 };

    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL))
        errx(1, "cannot sleep");
}

static void work_for(int64_t loops)
{
    for (volatile int64_t i = 0; i < loops; i++)
        if (i % 1024 == 0)
            end_turn();
}

/* Returns how often work_for() loops in @us, by the quickest of some attempts. */
static int64_t loops_in(int64_t us)
{
    int64_t least = INT64_MAX;

    for (int i = 0; i < 50; i++) {
        int64_t begin = now_ns(), ns;

        work_for(20000);
        ns = now_ns() - begin;
        if (ns < least)
            least = ns;
    }

    return us * 1000 * 20000 / (least ?: 1);
}

int main(int argc, char **argv)
{
    int64_t begin, period, work, loops, latest = 0;
    int n;

    if (argc != 4)
        errx(2, "usage: cyclic N PERIOD_US WORK_US");
    n = atoi(argv[1]);
    period = atoi(argv[2]) * INT64_C(1000);
    work = atoi(argv[3]) * INT64_C(1000);
    if (mlockall(MCL_CURRENT | MCL_FUTURE))
        err(1, "cannot lock memory");

    loops = loops_in(work / 1000);
    for (begin = now_ns() + period; n--; begin += period) {
        int64_t late;

        sleep_until(begin);
        work_for(loops);
        late = now_ns() - begin - work;
        if (late > latest)
            latest = late;
        /* One outlier delays one cycle: those that it covers are left out. */
        while (begin + period < now_ns())
            begin += period;
    }
    printf("late %lld us\n", (long long)latest / 1000);

    return 0;
}
