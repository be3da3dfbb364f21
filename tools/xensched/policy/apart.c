/* SPDX-License-Identifier: GPL-2.0-only */
/* apart.c - see apart.h. */
#include <string.h>

#include "apart.h"
#include "placement/prices.h"

double apart_line_ns(const struct topology *t, const struct distances *d,
                     unsigned int a, unsigned int b)
{
    unsigned int x = t->places[a].id, y = t->places[b].id;

    if (!d)
        return prices_default.line[a == b ? SAME_PLACE : OTHER_PLACE];
    if (a == b)
        return d->ns[DISTANCE_LINE][RELATION_NODE];
    if (strcmp(t->places[a].kind, "node") || x >= d->nr_nodes ||
        y >= d->nr_nodes)
        return d->ns[DISTANCE_LINE][RELATION_REMOTE];

    return distance_nodes_ns(d, DISTANCE_LINE, x, y, NULL);
}

double apart_notification_ns(const struct topology *t,
                             const struct distances *d)
{
    bool one_cache = t->nr_caches == t->nr_places;
    const double *line = prices_default.line;
    double near = line[one_cache ? SAME_CACHE : SAME_PLACE];
    double remote = line[OTHER_PLACE];

    if (d) {
        line = d->ns[DISTANCE_LINE];
        near = line[one_cache ? RELATION_LLC : RELATION_NODE];
        remote = line[RELATION_REMOTE];
    }

    return remote > near ? prices_default.notification * (remote - near) : 0;
}
