/* SPDX-License-Identifier: GPL-2.0-only */
/* joint.h - leaves out planned moves that do not pay without others. */
#ifndef XENSCHED_PLACEMENT_JOINT_H
#define XENSCHED_PLACEMENT_JOINT_H

#include "placement.h"

/*
 * Call it after search_run().  @goes, [unit]: the unit can move now to where the search put it.
 * Clears those whose move has no room, or does not pay, if only the units of @goes move.  All
 * others are at their origins afterwards.
 */
void joint_moves(struct placement *p, bool *goes);

#endif /* XENSCHED_PLACEMENT_JOINT_H */
