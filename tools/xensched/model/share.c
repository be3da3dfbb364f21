/* SPDX-License-Identifier: GPL-2.0-only */
/* Divides scarce pCPUs in proportion to weights. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "share.h"

static double weight_of(const struct share *s)
{
    return s->weight ? s->weight : SHARE_WEIGHT;
}

/* The one that wants the least for its weight has enough first. */
static int compare_shares(const void *a, const void *b)
{
    const struct share *s = *(struct share *const *)a;
    const struct share *t = *(struct share *const *)b;
    double x = s->want / weight_of(s), y = t->want / weight_of(t);

    return x < y ? -1 : x > y;
}

void share_out(struct share *shares, unsigned int nr, double pcpus)
{
    struct share **order = need_memory(nr, sizeof(struct share *));
    double weights = 0;
    unsigned int i;

    for (i = 0; i < nr; i++) {
        order[i] = &shares[i];
        weights += weight_of(&shares[i]);
    }
    qsort(order, nr, sizeof(*order), compare_shares);
    for (i = 0; i < nr; i++) {
        double weight = weight_of(order[i]);

        order[i]->got = fmin(order[i]->want, pcpus * weight / weights);
        pcpus -= order[i]->got;
        weights -= weight;
    }
    free(order);
}
