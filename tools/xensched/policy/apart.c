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

double apart_notification_ns(const struct distances *d)
{
    double far = d ? d->ns[DISTANCE_LINE][RELATION_REMOTE] -
                     d->ns[DISTANCE_LINE][RELATION_NODE]
                   : prices_default.line[OTHER_PLACE] -
                     prices_default.line[SAME_PLACE];

    return far > 0 ? prices_default.notification * far : 0;
}
