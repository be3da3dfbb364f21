/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count-memory.h - the core finds out how far nodes are apart, and on which of them
 * the memory of domains is: a part of a count in each run (model/census.h).
 */
#ifndef XENSCHED_DAEMON_COUNT_MEMORY_H
#define XENSCHED_DAEMON_COUNT_MEMORY_H

#include "core.h"

/* No error: a host that does not tell has all memory equally far. */
void count_memory_start(struct core *core);

/* What was measured of the machine, and may have been measured again. */
void count_memory_distances(struct core *core);

/* Goes on counting, if it is time to, and tells core->domains what is known. */
void count_memory(struct core *core, uint64_t now_ns);

void count_memory_end(struct core *core);

#endif /* XENSCHED_DAEMON_COUNT_MEMORY_H */
