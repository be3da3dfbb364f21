/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-distance.h - returns the distance of two places of a host, measured or assumed.
 */
#ifndef XENSCHED_POLICY_PLACE_DISTANCE_H
#define XENSCHED_POLICY_PLACE_DISTANCE_H

#include "model/topology/distance.h"
#include "model/topology/topology.h"

/*
 * Returns the ns that a cache line takes from a pCPU of place @a to a pCPU of place @b.  @d is
 * NULL if this machine was not measured.  Each pair of nodes has its own distance.  Within a
 * place, the distance is that of its cache, or between two of its caches.
 */
double place_line_ns(const struct topology *t, const struct distances *d,
                     unsigned int a, unsigned int b);

/*
 * Returns the ns that a notification costs more between two places than within one.  Within a
 * place that has several caches, the notification may go from one cache to another.
 */
double place_notification_ns(const struct topology *t,
                             const struct distances *d);

#endif /* XENSCHED_POLICY_PLACE_DISTANCE_H */
