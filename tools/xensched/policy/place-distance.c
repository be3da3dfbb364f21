/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the distance between two places, measured or assumed. */
#include <string.h>

#include "place-distance.h"
#include "placement/prices.h"

/* ns between two pCPUs of a place: within its cache, if it has only one. */
static double within_ns(const struct topology *t, const struct distances *d,
                        unsigned int place)
{
    bool one_cache = topology_only_cache(t, place) != TOPOLOGY_UNKNOWN;

    return d ? d->ns[DISTANCE_LINE][one_cache ? RELATION_LLC : RELATION_NODE]
             : prices_default.line[one_cache ? SAME_CACHE : SAME_PLACE];
}

double place_line_ns(const struct topology *t, const struct distances *d,
                     unsigned int a, unsigned int b)
{
    unsigned int x = t->places[a].id, y = t->places[b].id;

    if (a == b)
        return within_ns(t, d, a);
    if (!d)
        return prices_default.line[OTHER_PLACE];
    if (strcmp(t->places[a].kind, "node") || x >= d->nr_nodes ||
        y >= d->nr_nodes)
        return d->ns[DISTANCE_LINE][RELATION_REMOTE];

    return distance_nodes_ns(d, DISTANCE_LINE, x, y, NULL);
}

double place_notification_ns(const struct topology *t,
                             const struct distances *d)
{
    double near = within_ns(t, d, 0);
    double remote = d ? d->ns[DISTANCE_LINE][RELATION_REMOTE]
                      : prices_default.line[OTHER_PLACE];

    return remote > near ? prices_default.notification * (remote - near) : 0;
}
