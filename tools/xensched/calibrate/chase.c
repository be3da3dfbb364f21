/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chase.c - see chase.h.  Each load says where the next one is, at random, and all
 * lines are flushed from the caches before.  Of four lines one is used, so that
 * fetching neighbours is of no use.
 */
#include <stdint.h>

#include "chase.h"
#include "processor.h"
#include "spin.h"

#define STEP 256

/* A circle through all of it, by Sattolo; the same each time. */
static void make_circle(char *memory, unsigned int nr)
{
    uint64_t seed = 88172645463325252ULL;
    unsigned int i;

    for (i = 0; i < nr; i++)
        *(void **)(memory + (size_t)i * STEP) = memory + (size_t)i * STEP;
    for (i = nr - 1; i; i--) {
        void **one = (void **)(memory + (size_t)i * STEP), **other, *kept;

        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        other = (void **)(memory + (seed >> 11) % i * STEP);
        kept = *one;
        *one = *other;
        *other = kept;
    }
}

static void flush(const char *memory, unsigned int nr)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        flush_line(memory + (size_t)i * STEP);
    finish_flush();
}

double chase_ns(unsigned int cpu, void *memory, size_t bytes)
{
    static double samples[SPIN_SAMPLES];
    unsigned int nr = bytes / STEP, count = 0, i;
    double first_ns;

    if (!spin_on(cpu) || nr < 2)
        return -1;
    make_circle(memory, nr);
    first_ns = spin_now_ns();
    while (spin_goes_on(first_ns, count)) {
        void *volatile *at = memory;
        double begin_ns;

        flush(memory, nr);
        begin_ns = spin_now_ns();
        for (i = 0; i < nr; i++)
            at = *at;
        samples[count++] = (spin_now_ns() - begin_ns) / nr;
    }

    return spin_median(samples, count);
}
