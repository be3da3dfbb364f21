/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the time of a load that no cache has, and the time until a core has a cache line that
 * another core changed.
 *
 * Both run in threads of dom0 that stay on one CPU.  Medians of repeated measurements count,
 * because a vCPU of dom0 may lose its pCPU at any time.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "latency-probes.h"
#include "processor.h"

bool spin_on(unsigned int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);

    return !sched_setaffinity(0, sizeof(set), &set);
}

double spin_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1e9 + now.tv_nsec;
}

bool spin_goes_on(double begin_ns, unsigned int nr)
{
    double ns = spin_now_ns() - begin_ns;

    return nr < SPIN_SAMPLES &&
           (ns < SPIN_NS || (nr < SPIN_LEAST && ns < SPIN_PATIENCE_NS));
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double spin_median(double *values, unsigned int nr)
{
    if (nr < SPIN_LEAST)
        return -1;
    qsort(values, nr, sizeof(*values), compare_doubles);

    return values[nr / 2];
}

/* The changed line: two threads write it in turn, so a round is the way there and back. */

#define LINE_ROUNDS 32 /* per sample */

struct line {
    _Alignas(128) atomic_uint turn;
    _Alignas(128) atomic_bool ended;
    unsigned int cpu;
};

/* Waits until it is this turn; returns false if the other side has ended. */
static bool await_turn(struct line *line, unsigned int turn)
{
    while (atomic_load_explicit(&line->turn, memory_order_acquire) != turn) {
        if (atomic_load_explicit(&line->ended, memory_order_relaxed))
            return false;
        spin_hint();
    }

    return true;
}

static void *answer_turns(void *arg)
{
    struct line *line = arg;
    unsigned int turn;

    if (!spin_on(line->cpu))
        return NULL;
    for (turn = 1; await_turn(line, turn); turn += 2)
        atomic_store_explicit(&line->turn, turn + 1, memory_order_release);

    return NULL;
}

/* The asking side reads the clock, in case the other side does not answer. */
static bool hand_turn_over(struct line *line, unsigned int turn, double until_ns)
{
    unsigned int tries;

    atomic_store_explicit(&line->turn, turn, memory_order_release);
    for (tries = 1; atomic_load_explicit(&line->turn, memory_order_acquire) !=
                    turn + 1; tries++) {
        if (tries % 65536 == 0 && spin_now_ns() > until_ns)
            return false;
        spin_hint();
    }

    return true;
}

static unsigned int measure_line(struct line *line, double *samples)
{
    double first_ns = spin_now_ns();
    unsigned int nr = 0, turn = 1, i;

    while (spin_goes_on(first_ns, nr)) {
        double begin_ns = spin_now_ns();

        for (i = 0; i < LINE_ROUNDS; i++, turn += 2)
            if (!hand_turn_over(line, turn, first_ns + SPIN_PATIENCE_NS))
                return nr;
        samples[nr++] = (spin_now_ns() - begin_ns) / LINE_ROUNDS / 2;
    }

    return nr;
}

double changed_line_ns(unsigned int a, unsigned int b)
{
    static double samples[SPIN_SAMPLES];
    static struct line line;
    unsigned int nr = 0;
    pthread_t other;

    atomic_store(&line.turn, 0);
    atomic_store(&line.ended, false);
    line.cpu = b;
    if (!spin_on(a) || pthread_create(&other, NULL, answer_turns, &line))
        return -1;
    nr = measure_line(&line, samples);
    atomic_store(&line.ended, true);
    pthread_join(other, NULL);

    return spin_median(samples, nr);
}

/*
 * The uncached load: each load reads the address of the next one, at random, after all
 * lines were flushed from the caches.  One line in four is used, so that fetching
 * neighbours does not help.
 */

#define LOAD_STEP 256

/* Makes a circle through all of it, by Sattolo's shuffle; the same each time. */
static void make_circle(char *memory, unsigned int nr)
{
    uint64_t seed = 88172645463325252ULL;
    unsigned int i;

    for (i = 0; i < nr; i++)
        *(void **)(memory + (size_t)i * LOAD_STEP) = memory + (size_t)i * LOAD_STEP;
    for (i = nr - 1; i; i--) {
        void **one = (void **)(memory + (size_t)i * LOAD_STEP), **other, *kept;

        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        other = (void **)(memory + (seed >> 11) % i * LOAD_STEP);
        kept = *one;
        *one = *other;
        *other = kept;
    }
}

static void flush_lines(const char *memory, unsigned int nr)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        flush_line(memory + (size_t)i * LOAD_STEP);
    finish_flush();
}

double uncached_load_ns(unsigned int cpu, void *memory, size_t bytes)
{
    static double samples[SPIN_SAMPLES];
    unsigned int nr = bytes / LOAD_STEP, count = 0, i;
    double first_ns;

    if (!spin_on(cpu) || nr < 2)
        return -1;
    make_circle(memory, nr);
    first_ns = spin_now_ns();
    while (spin_goes_on(first_ns, count)) {
        void *volatile *at = memory;
        double begin_ns;

        flush_lines(memory, nr);
        begin_ns = spin_now_ns();
        for (i = 0; i < nr; i++)
            at = *at;
        samples[count++] = (spin_now_ns() - begin_ns) / nr;
    }

    return spin_median(samples, count);
}
