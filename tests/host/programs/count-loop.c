/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shows what a TSC tick is in the exact mode of the box: runs a loop of a
 * known number of instructions and prints how many ticks that took, the
 * fewest of some attempts (the others were interrupted).
 *
 *   count-loop INSTRUCTIONS
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ATTEMPTS 20

static inline uint64_t tsc(void)
{
    uint32_t low, high;

    asm volatile ("rdtsc" : "=a" (low), "=d" (high));

    return ((uint64_t)high << 32) | low;
}

/* Two instructions each time around. */
static void loop(uint64_t instructions)
{
    uint64_t left = instructions / 2;

    asm volatile ("1: dec %0; jnz 1b" : "+r" (left) :: "cc");
}

int main(int argc, char **argv)
{
    uint64_t instructions, fewest = UINT64_MAX;

    if (argc != 2 || (instructions = strtoull(argv[1], NULL, 0)) < 2) {
        fprintf(stderr, "usage: count-loop INSTRUCTIONS (2 or more)\n");
        return 2;
    }

    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t start = tsc(), took;

        loop(instructions);
        took = tsc() - start;
        if (took < fewest)
            fewest = took;
    }
    printf("%llu\n", (unsigned long long)fewest);

    return 0;
}
