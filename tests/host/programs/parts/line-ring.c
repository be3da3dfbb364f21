/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the ring by Sattolo's shuffle: one ring, not several. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>

#include "line-ring.h"

void **line_ring_make(char *bytes, size_t nr)
{
    size_t *order = calloc(nr, sizeof(*order));
    uint64_t random = 88172645463325252ULL;

    if (!order)
        err(1, "no memory");
    for (size_t i = 0; i < nr; i++)
        order[i] = i;
    for (size_t i = nr - 1; i > 0; i--) {
        size_t j, other;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        j = random % i;
        other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
    for (size_t i = 0; i < nr; i++)
        *(void **)(bytes + order[i] * LINE) =
            bytes + order[(i + 1) % nr] * LINE;
    free(order);

    return (void **)bytes;
}

void **line_ring_follow(void **at, size_t loads)
{
    while (loads--)
        at = *(void **volatile *)at;

    return at;
}
