/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line.c - see line.h.  Two threads write the same line in turn: a round is the
 * way there and back.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "line.h"
#include "processor.h"
#include "spin.h"

#define ROUNDS 32 /* of a sample */

struct line {
    _Alignas(128) atomic_uint turn;
    _Alignas(128) atomic_bool ended;
    unsigned int cpu;
};

/* Until it is this turn; false: it has ended. */
static bool await(struct line *line, unsigned int turn)
{
    while (atomic_load_explicit(&line->turn, memory_order_acquire) != turn) {
        if (atomic_load_explicit(&line->ended, memory_order_relaxed))
            return false;
        spin_hint();
    }

    return true;
}

static void *answer(void *arg)
{
    struct line *line = arg;
    unsigned int turn;

    if (!spin_on(line->cpu))
        return NULL;
    for (turn = 1; await(line, turn); turn += 2)
        atomic_store_explicit(&line->turn, turn + 1, memory_order_release);

    return NULL;
}

/* The asking side has an eye on the clock, in case that the other side does not answer. */
static bool ask(struct line *line, unsigned int turn, double until_ns)
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

static unsigned int measure(struct line *line, double *samples)
{
    double first_ns = spin_now_ns();
    unsigned int nr = 0, turn = 1, i;

    while (spin_goes_on(first_ns, nr)) {
        double begin_ns = spin_now_ns();

        for (i = 0; i < ROUNDS; i++, turn += 2)
            if (!ask(line, turn, first_ns + SPIN_PATIENCE_NS))
                return nr;
        samples[nr++] = (spin_now_ns() - begin_ns) / ROUNDS / 2;
    }

    return nr;
}

double line_ns(unsigned int a, unsigned int b)
{
    static double samples[SPIN_SAMPLES];
    static struct line line;
    unsigned int nr = 0;
    pthread_t other;

    atomic_store(&line.turn, 0);
    atomic_store(&line.ended, false);
    line.cpu = b;
    if (!spin_on(a) || pthread_create(&other, NULL, answer, &line))
        return -1;
    nr = measure(&line, samples);
    atomic_store(&line.ended, true);
    pthread_join(other, NULL);

    return spin_median(samples, nr);
}
