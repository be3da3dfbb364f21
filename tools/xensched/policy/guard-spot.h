/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard-spot.h - whether a guest can be at a place or in a cache, and what is against it.
 * For guard.c alone.
 */
#ifndef XENSCHED_POLICY_GUARD_SPOT_H
#define XENSCHED_POLICY_GUARD_SPOT_H

#include "guard-run.h"

/* Those that it may use there. */
unsigned int spot_cores(const struct candidate *c, struct spot spot);

/* @part: of the cores that may be taken, ROOM_TO_GO or ROOM_TO_STAY. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part);
bool spot_can_go(const struct candidate *c, struct spot spot);

/* Where a domain which was moved is; else UNKNOWN. */
struct spot spot_ours(const struct candidate *c);

/* Leaves it where it is: there are too few cores, or there is no room. */
void spot_object(const struct candidate *c, struct spot spot);

#endif /* XENSCHED_POLICY_GUARD_SPOT_H */
