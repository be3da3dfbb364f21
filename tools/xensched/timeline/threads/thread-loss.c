/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds times for which rows about threads are missing. */
#include <stdlib.h>

#include "base/alloc.h"
#include "thread-loss.h"

#define ANY_CPU UINT32_MAX

/* Those of one vCPU, and those of any of a source, do not overlap each other. */
struct thread_window {
    uint64_t begin, end;
    uint32_t cpu;
    uint16_t source;
};

/* By whose they are, then by time. */
static int compare_whose(const struct thread_window *a,
                         const struct thread_window *b)
{
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;

    return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static int compare(const void *a, const void *b)
{
    const struct thread_window *x = a, *y = b;
    int whose = compare_whose(x, y);

    if (whose)
        return whose;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void join_overlapping(struct thread_losses *l)
{
    size_t i, nr = 0;

    for (i = 0; i < l->nr; i++) {
        struct thread_window *last = nr ? &l->window[nr - 1] : NULL;
        const struct thread_window *w = &l->window[i];

        if (!last || compare_whose(last, w) || last->end < w->begin)
            l->window[nr++] = *w;
        else if (last->end < w->end)
            last->end = w->end;
    }
    l->nr = nr;
}

void thread_losses_make(struct thread_losses *l, const struct linux_rows *rows)
{
    size_t i;

    l->nr = 0;
    l->window = need_memory(2 * rows->nr_losses + 1, sizeof(*l->window));
    for (i = 0; i < rows->nr_losses; i++) {
        const struct linux_loss *loss = &rows->loss[i];
        struct thread_window w = { .begin = loss->begin_ns,
                                   .end = loss->end_ns, .cpu = loss->cpu,
                                   .source = loss->source };

        if (!loss->threads)
            continue;
        l->window[l->nr++] = w;
        w.cpu = ANY_CPU;
        l->window[l->nr++] = w;
    }
    qsort(l->window, l->nr, sizeof(*l->window), compare);
    join_overlapping(l);
}

void thread_losses_free(struct thread_losses *l)
{
    free(l->window);
    l->window = NULL;
}

uint64_t thread_losses_at(const struct thread_losses *l, uint16_t source,
                          uint32_t cpu, uint64_t ns)
{
    const struct thread_window whose = { .cpu = cpu, .source = source };
    size_t low = 0, high = l->nr;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_whose(&l->window[middle], &whose);

        if (order < 0 || (!order && l->window[middle].end <= ns))
            low = middle + 1;
        else
            high = middle;
    }

    return low < l->nr && !compare_whose(&l->window[low], &whose)
           ? l->window[low].begin : UINT64_MAX;
}

uint64_t thread_losses_of(const struct thread_losses *l, uint16_t source,
                          uint64_t ns)
{
    return thread_losses_at(l, source, ANY_CPU, ns);
}
