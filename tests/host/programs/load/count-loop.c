/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shows the length of a TSC tick in exact mode of the box: runs a loop of a known number of
 * instructions and prints the ticks, the fewest of some attempts (others were interrupted).
 *
 *   count-loop INSTRUCTIONS
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ticks.h"

#define ATTEMPTS 20

int main(int argc, char **argv)
{
    uint64_t instructions, fewest = UINT64_MAX;

    if (argc != 2 || (instructions = strtoull(argv[1], NULL, 0)) < 2) {
        fprintf(stderr, "usage: count-loop INSTRUCTIONS (2 or more)\n");
        return 2;
    }

    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t start = ticks(), took;

        loop(instructions / 2);
        took = ticks() - start;
        if (took < fewest)
            fewest = took;
    }
    printf("%llu\n", (unsigned long long)fewest);

    return 0;
}
