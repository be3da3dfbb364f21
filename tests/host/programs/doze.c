/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleeps an exact number of times, and computes before each if it is to: each one
 * is a wake-up of the vCPU.
 *
 * Usage: doze N MILLISECONDS [MILLISECONDS-OF-COMPUTING]
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Of its own CPU time, so that others do not make it less. */
static void compute(unsigned int ms)
{
    struct timespec now;
    double end;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    end = now.tv_sec + now.tv_nsec / 1e9 + ms / 1e3;
    while (now.tv_sec + now.tv_nsec / 1e9 < end)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

int main(int argc, char **argv)
{
    unsigned int before;

    if (argc != 3 && argc != 4)
        errx(2, "usage: doze N MILLISECONDS [MILLISECONDS-OF-COMPUTING]");
    before = argc == 4 ? atoi(argv[3]) : 0;

    for (int i = 0; i < atoi(argv[1]); i++) {
        if (before)
            compute(before);
        usleep(atoi(argv[2]) * 1000);
    }
    printf("slept %s times\n", argv[1]);

    return 0;
}
