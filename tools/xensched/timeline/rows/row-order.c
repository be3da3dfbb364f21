/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorts rows by time, with a natural merge sort. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "row-order.h"

struct sorting {
    size_t size;
    order_after *after;
};

/* Returns the first index after the run that begins at @first. */
static size_t end_of_run(const struct sorting *s, const uint8_t *at,
                         size_t first, size_t nr)
{
    for (first++; first < nr; first++)
        if (s->after(at + (first - 1) * s->size, at + first * s->size))
            break;

    return first;
}

/* Merges [first, middle) and [middle, end), both sorted, into @to. */
static void merge_runs(const struct sorting *s, uint8_t *to, const uint8_t *from,
                       size_t first, size_t middle, size_t end)
{
    size_t a = first, b = middle, i;

    for (i = first; i < end; i++) {
        bool second = a == middle ||
                      (b < end && s->after(from + a * s->size,
                                           from + b * s->size));

        memcpy(to + i * s->size, from + (second ? b++ : a++) * s->size,
               s->size);
    }
}

/* Merges neighbouring runs; returns how many there were. */
static size_t merge_pass(const struct sorting *s, uint8_t *to, const uint8_t *from,
                         size_t nr)
{
    size_t first = 0, runs = 0;

    while (first < nr) {
        size_t middle = end_of_run(s, from, first, nr);
        size_t end = middle < nr ? end_of_run(s, from, middle, nr) : nr;

        runs += end > middle ? 2 : 1;
        merge_runs(s, to, from, first, middle, end);
        first = end;
    }

    return runs;
}

void order_sort(void *members, size_t nr, size_t size, order_after *after)
{
    const struct sorting s = { .size = size, .after = after };
    uint8_t *from = members, *to, *spare;

    if (nr < 2 || end_of_run(&s, from, 0, nr) == nr)
        return;
    spare = to = need_memory(nr, size);
    while (merge_pass(&s, to, from, nr) > 2) {
        uint8_t *swap = from;

        from = to;
        to = swap;
    }
    if (to != members)
        memcpy(members, to, nr * size);
    free(spare);
}

size_t order_until(const void *members, size_t nr, size_t size, size_t offset,
                   uint64_t ns)
{
    const uint8_t *first = members;
    size_t low = 0, high = nr;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t time;

        memcpy(&time, first + middle * size + offset, sizeof(time));
        if (time <= ns)
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}
