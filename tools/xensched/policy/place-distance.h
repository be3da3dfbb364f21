/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-distance.h - the distance of two places of a host, measured or assumed.
 */
#ifndef XENSCHED_POLICY_PLACE_DISTANCE_H
#define XENSCHED_POLICY_PLACE_DISTANCE_H

#include "model/topology/distance.h"
#include "model/topology/topology.h"

/*
 * ns that a line takes from a pCPU of place @a to one of place @b.  @d: NULL if
 * this machine was not measured.  Each two places that are nodes have a distance of
 * their own.  Within a place it is that of its cache, or between two of its caches.
 */
double place_line_ns(const struct topology *t, const struct distances *d,
                     unsigned int a, unsigned int b);

/*
 * What a notification costs more from one place to another one than within one,
 * in ns.  Within a place that has several caches, it may be from one to the other.
 */
double place_notification_ns(const struct topology *t,
                             const struct distances *d);

#endif /* XENSCHED_POLICY_PLACE_DISTANCE_H */
