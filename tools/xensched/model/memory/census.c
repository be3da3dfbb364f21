/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples the machine's frames to find the nodes of domains' memory. */
#include <stdlib.h>
#include <string.h>

#include "census.h"
#include "base/alloc.h"

/* Consecutive counts start this many frames apart; any prime will do. */
#define STRIDE 7919

static void forget_count(struct census_count *count)
{
    free(count->on);
    domids_free(&count->domids);
    memset(count, 0, sizeof(*count));
}

void census_init(struct census *c, unsigned int nr_nodes)
{
    memset(c, 0, sizeof(*c));
    c->nr_nodes = nr_nodes;
}

void census_free(struct census *c)
{
    forget_count(&c->whole);
    forget_count(&c->part);
}

/* Has the latest count included the domain, because it existed then? */
static bool is_counted(const struct census *c, const struct domain *d)
{
    return c->known && d->since_ns <= c->whole.at_ns;
}

bool census_is_due(const struct census *c, const struct domains *domains,
                   uint64_t now_ns)
{
    uint64_t age = now_ns - c->whole.at_ns;
    unsigned int i;

    if (c->counting)
        return false;
    if (!c->known || age >= CENSUS_AGAIN_NS)
        return true;
    for (i = 0; i < domains->nr; i++)
        if (!is_counted(c, &domains->domain[i]))
            return age >= CENSUS_SOONEST_NS;

    return false;
}

/* The step is odd because the sizes of guests' pages are powers of two. */
uint64_t census_begin(struct census *c, uint64_t nr_frames, uint64_t now_ns)
{
    forget_count(&c->part);
    c->counting = true;
    c->part.at_ns = now_ns;
    c->part.step = (nr_frames + CENSUS_FRAMES - 1) / CENSUS_FRAMES | 1;

    return (uint64_t)c->nr_counts++ * STRIDE % c->part.step;
}

static uint64_t *make_entry(struct census *c, uint32_t domid)
{
    struct census_count *count = &c->part;

    if (count->nr == count->room) {
        count->room = count->room ? 2 * count->room : 64;
        count->on = need_more_memory(count->on,
                                     (size_t)count->room * c->nr_nodes,
                                     sizeof(*count->on));
    }
    domids_put(&count->domids, domid, count->nr);

    return memset(&count->on[(size_t)count->nr++ * c->nr_nodes], 0,
                  c->nr_nodes * sizeof(*count->on));
}

void census_add(struct census *c, uint32_t domid, unsigned int node)
{
    uint32_t i = domids_find(&c->part.domids, domid);
    uint64_t *on;

    if (node >= c->nr_nodes)
        return;
    on = i == DOMIDS_NONE ? make_entry(c, domid)
                          : &c->part.on[(size_t)i * c->nr_nodes];
    on[node]++;
}

void census_end(struct census *c, bool whole)
{
    c->counting = false;
    if (!whole)
        return;
    forget_count(&c->whole);
    c->whole = c->part;
    memset(&c->part, 0, sizeof(c->part));
    c->known = true;
}

static void fill_in_domain(const struct census *c, struct domain *d)
{
    uint32_t i = domids_find(&c->whole.domids, d->domid);
    uint64_t *on, sum = 0;
    unsigned int node;

    if (i == DOMIDS_NONE)
        return;
    on = need_memory(c->nr_nodes, sizeof(*on));
    for (node = 0; node < c->nr_nodes; node++) {
        on[node] = c->whole.on[(size_t)i * c->nr_nodes + node];
        sum += on[node];
        on[node] *= c->whole.step;
    }
    if (sum >= CENSUS_LEAST)
        pages_set(&d->pages, on, c->nr_nodes, c->whole.at_ns);
    free(on);
}

void census_tell(const struct census *c, struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        if (is_counted(c, &domains->domain[i]))
            fill_in_domain(c, &domains->domain[i]);
}
