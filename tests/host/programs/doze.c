/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleeps an exact number of times, and does nothing else: each one is a wake-up
 * of the vCPU.
 *
 * Usage: doze N MILLISECONDS
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        errx(2, "usage: doze N MILLISECONDS");

    for (int i = 0; i < atoi(argv[1]); i++)
        usleep(atoi(argv[2]) * 1000);
    printf("slept %s times\n", argv[1]);

    return 0;
}
