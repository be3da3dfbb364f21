/* SPDX-License-Identifier: GPL-2.0-only */
/* joint.h - withdraws planned moves that save nothing without others. */
#ifndef XENSCHED_PLACEMENT_JOINT_H
#define XENSCHED_PLACEMENT_JOINT_H

#include "placement.h"

/*
 * Call it after search_run().  @goes, [unit]: the search has moved the unit, and it can move now.
 * Clears those whose move has no room, or saves nothing, if only the units of @goes move.  All
 * others are at their origins afterwards.
 */
void joint_moves(struct placement *p, bool *goes);

#endif /* XENSCHED_PLACEMENT_JOINT_H */
