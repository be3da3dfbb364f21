/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds clusters of guests, by greedy agglomeration. */
#include <stdlib.h>
#include <string.h>

#include "gangs.h"
#include "base/alloc.h"

void gangs_init(struct gangs *g, unsigned int nr, unsigned int most_edges)
{
    unsigned int i;

    memset(g, 0, sizeof(*g));
    g->nr = nr;
    g->of = need_memory(nr, sizeof(*g->of));
    g->demand = need_memory(nr, sizeof(*g->demand));
    g->capacity = need_memory(nr, sizeof(*g->capacity));
    g->edges = need_memory(most_edges, sizeof(*g->edges));
    g->degree = need_memory(nr, sizeof(*g->degree));
    for (i = 0; i < nr; i++)
        g->of[i] = i;
}

void gangs_free(struct gangs *g)
{
    free(g->of);
    free(g->demand);
    free(g->capacity);
    free(g->edges);
    free(g->degree);
}

void gangs_add_edge(struct gangs *g, unsigned int a, unsigned int b,
                    double rate)
{
    g->edges[g->nr_edges++] = (struct gang_edge){ a, b, rate };
    g->degree[a] += rate;
    g->degree[b] += rate;
}

/* What merging the ends of @edge adds to the modularity; @m: sum of rates. */
static double gain(const struct gangs *g, const struct gang_edge *edge,
                   double m)
{
    return edge->rate / m -
           g->degree[edge->a] * g->degree[edge->b] / (2 * m * m);
}

static const struct gang_edge *best_edge(const struct gangs *g, double m)
{
    const struct gang_edge *best = NULL;
    double most = 0;
    unsigned int i;

    for (i = 0; i < g->nr_edges; i++) {
        const struct gang_edge *e = &g->edges[i];
        double gained = gain(g, e, m);

        /* Equals: the one that was found first, so always the same. */
        if (gained > most * (1 + 1e-9) &&
            room_for(g->demand[e->a], g->demand[e->b], g->capacity[e->a],
                     ROOM_TO_GO)) {
            best = e;
            most = gained;
        }
    }

    return best;
}

/* Gang @from becomes part of @to; each two gangs have one edge at most. */
static void merge(struct gangs *g, unsigned int to, unsigned int from,
                  double *sum)
{
    unsigned int i, kept = 0;

    for (i = 0; i < g->nr; i++) {
        sum[i] = 0;
        if (g->of[i] == from)
            g->of[i] = to;
    }
    for (i = 0; i < g->nr_edges; i++) {
        struct gang_edge *e = &g->edges[i];

        if (e->a == from || e->a == to)
            e->a = e->b, e->b = to;
        else if (e->b == from)
            e->b = to;
        if (e->b == to)
            sum[e->a == from ? to : e->a] += e->rate;
    }
    for (i = 0; i < g->nr_edges; i++) {
        struct gang_edge e = g->edges[i];

        if (e.b == to) {
            if (e.a == from || e.a == to || sum[e.a] == 0)
                continue;
            e.rate = sum[e.a];
            sum[e.a] = 0;
        }
        g->edges[kept++] = e;
    }
    g->nr_edges = kept;
    g->degree[to] += g->degree[from];
    demand_add(&g->demand[to], g->demand[from]);
}

void gangs_find(struct gangs *g)
{
    double *sum = need_memory(g->nr, sizeof(*sum)), m = 0;
    const struct gang_edge *edge;
    unsigned int i;

    for (i = 0; i < g->nr_edges; i++)
        m += g->edges[i].rate;
    while ((edge = best_edge(g, m)))
        merge(g, edge->a, edge->b, sum);
    free(sum);
}
