/* SPDX-License-Identifier: GPL-2.0-only */
/* source-clocks.h - the clocks of a recording's sources. */
#ifndef XENSCHED_TIMELINE_SOURCE_CLOCKS_H
#define XENSCHED_TIMELINE_SOURCE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/area.h>
#include <xensched/recording.h>
#include <xensched/source.h>

/*
 * TSC time stamps of rows, made whole.
 *
 * Small rows have 32 bits of the TSC, which come round every now and then
 * (half an hour, with a shift of 10 bits at 2.5 GHz).  The bits above are
 * those which bring the row nearest to one whose time is known.
 */

struct stamps {
    bool known;         /* is there a reference? */
    uint64_t reference; /* TSC cycles of a row that was seen before */
};

/*
 * Take as reference the first row of @source which has all 64 bits; of a
 * recording with many, of its first.
 */
void stamps_learn_from_source(struct stamps *stamps,
                              struct xensched_source *source);

/* Likewise, the latest one that is in the logs of @area now. */
void stamps_learn_from_area(struct stamps *stamps,
                            const struct xensched_area *area);

/*
 * TSC cycles of @row, which has a TSC time stamp.  It is the next reference.
 * Without one so far the bits above are taken for 0.
 */
uint64_t stamp_cycles(struct stamps *stamps,
                      const struct xensched_layout *layout,
                      const struct xensched_row *row);

/*
 * Brings the times of a source's rows to the host's TSC: the clocks of its
 * vCPUs, as a recording has them.
 */

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
