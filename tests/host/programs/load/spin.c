/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Burns the CPU for a number of seconds: the load of a computing guest.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ticks.h"

int main(int argc, char **argv)
{
    struct timespec now;
    double end;

    if (argc != 2) {
        fprintf(stderr, "usage: spin SECONDS\n");
        return 2;
    }

    clock_gettime(CLOCK_MONOTONIC, &now);
    end = now.tv_sec + now.tv_nsec / 1e9 + atof(argv[1]);

    do {
        end_turn();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < end);

    return 0;
}
