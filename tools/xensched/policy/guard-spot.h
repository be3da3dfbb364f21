/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard-spot.h - finds whether a guest can be at a place or in a cache, or the obstacle.
 * For guard.c alone.
 */
#ifndef XENSCHED_POLICY_GUARD_SPOT_H
#define XENSCHED_POLICY_GUARD_SPOT_H

#include "guard-run.h"

/* The number of cores of @spot that the guest may use. */
unsigned int spot_cores(const struct candidate *c, struct spot spot);

/* @part: the share of the cores that may be needed, ROOM_TO_GO or ROOM_TO_STAY. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part);
bool spot_can_go(const struct candidate *c, struct spot spot);

/* Returns the spot to which the domain was moved; UNKNOWN: it was not moved. */
struct spot spot_ours(const struct candidate *c);

/* Leaves the guest where it is, because @spot or its place has too few cores or no capacity. */
void spot_object(const struct candidate *c, struct spot spot, double part);

#endif /* XENSCHED_POLICY_GUARD_SPOT_H */
