/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source-clocks.h - brings the times of a source's rows to the host's TSC: the clocks of its
 * vCPUs, as a recording has them.
 */
#ifndef XENSCHED_TIMELINE_SOURCE_CLOCKS_H
#define XENSCHED_TIMELINE_SOURCE_CLOCKS_H

#include <stdint.h>

#include <xensched/recording.h>

#include "stamp.h"

struct source_clocks {
    struct xensched_clock *clock; /* by vCPU; host_khz is 0: none was recorded */
    uint32_t nr;
    struct stamps stamps;
};

/* The clock of a vCPU, for rows that come from now on. */
void source_clocks_learn(struct source_clocks *clocks,
                         const struct xensched_clock *clock);

/*
 * Small stamps of the source are near to where the host is, which @host says.  Before the first
 * row of a batch of @cpu.
 */
void source_clocks_know_time(struct source_clocks *clocks, uint32_t cpu,
                             const struct stamps *host);

/* The host's TSC when @row, of a batch of @cpu, was written. */
uint64_t source_clocks_cycles(struct source_clocks *clocks, uint32_t cpu,
                              const struct xensched_layout *layout,
                              const struct xensched_row *row);

void source_clocks_free(struct source_clocks *clocks);

#endif /* XENSCHED_TIMELINE_SOURCE_CLOCKS_H */
