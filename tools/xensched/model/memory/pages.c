/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the share of a domain's memory on each node. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pages.h"

void pages_set(struct pages *p, const uint64_t *on, unsigned int nr_nodes,
               uint64_t at_ns)
{
    pages_free(p);
    p->known = true;
    p->at_ns = at_ns;
    p->nr_nodes = nr_nodes;
    p->on = need_memory(nr_nodes, sizeof(*p->on));
    memcpy(p->on, on, nr_nodes * sizeof(*on));
}

void pages_init_copy(struct pages *p, const struct pages *from)
{
    memset(p, 0, sizeof(*p));
    if (from->known)
        pages_set(p, from->on, from->nr_nodes, from->at_ns);
}

void pages_free(struct pages *p)
{
    free(p->on);
    memset(p, 0, sizeof(*p));
}

uint64_t pages_total(const struct pages *p)
{
    uint64_t total = 0;
    unsigned int i;

    for (i = 0; i < p->nr_nodes; i++)
        total += p->on[i];

    return total;
}

double pages_share(const struct pages *p, unsigned int node)
{
    uint64_t total = pages_total(p);

    if (!total)
        return -1;

    return node < p->nr_nodes ? (double)p->on[node] / total : 0;
}
