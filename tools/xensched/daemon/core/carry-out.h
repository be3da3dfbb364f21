/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * carry-out.h - from a plan to what the actuator does: which decisions are
 * carried out in which mode, at what pace, and what the journal says of it.
 */
#ifndef XENSCHED_DAEMON_CARRY_OUT_H
#define XENSCHED_DAEMON_CARRY_OUT_H

#include "core.h"

/*
 * core->plan is about core->domains.  Journals proposals and outcomes in any
 * mode; changes affinities in MODE_ACT only, and sets decision.done.
 */
void carry_out_plan(struct core *core, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_CARRY_OUT_H */
