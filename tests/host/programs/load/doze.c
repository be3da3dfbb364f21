/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleeps an exact number of times, after computing if requested: each sleep ends with a wake-up of
 * the vCPU.
 *
 * Usage: doze N MILLISECONDS [MICROSECONDS-OF-COMPUTING]
 *
 * A process that computes has a small share of the CPU, so it has exceeded its share when it goes
 * to sleep.
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Reading its own CPU time would make Linux check whether the share is used up. */
static void compute(unsigned int us)
{
    struct timespec now;
    double end;

    clock_gettime(CLOCK_MONOTONIC, &now);
    end = now.tv_sec + now.tv_nsec / 1e9 + us / 1e6;
    while (now.tv_sec + now.tv_nsec / 1e9 < end)
        clock_gettime(CLOCK_MONOTONIC, &now);
}

int main(int argc, char **argv)
{
    unsigned int before;

    if (argc != 3 && argc != 4)
        errx(2, "usage: doze N MILLISECONDS [MICROSECONDS-OF-COMPUTING]");
    before = argc == 4 ? atoi(argv[3]) : 0;

    if (before && nice(19) != 19)
        err(1, "nice");
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (before)
            compute(before);
        usleep(atoi(argv[2]) * 1000);
    }
    printf("slept %s times\n", argv[1]);

    return 0;
}
