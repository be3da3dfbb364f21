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
 * Extends the TSC time stamps of rows.
 *
 * Small rows have 32 bits of the TSC, which wrap now and then (after half an hour, with a shift of
 * 10 bits at 2.5 GHz). The upper bits are those that bring the row nearest to one whose time is
 * known.
 */

struct stamps {
    bool known;         /* there is a reference */
    uint64_t reference; /* TSC cycles of an earlier row */
};

/*
 * Takes the first row of @source that has all 64 bits as reference; of a source with many
 * recordings, of its first.
 */
void stamps_learn_from_source(struct stamps *stamps,
                              struct xensched_source *source);

/* Takes the latest such row that is in the logs of @area now. */
void stamps_learn_from_area(struct stamps *stamps,
                            const struct xensched_area *area);

/*
 * Returns the TSC cycles of @row, which has a TSC time stamp and becomes the reference.  Without a
 * reference the upper bits are 0.
 */
uint64_t stamp_cycles(struct stamps *stamps,
                      const struct xensched_layout *layout,
                      const struct xensched_row *row);

/*
 * Converts the times of a source's rows to the host's TSC, by the recorded clocks of its vCPUs.
 */

struct source_clocks {
    struct xensched_clock *clock; /* by vCPU; host_khz is 0 if none was recorded */
    uint32_t nr;
    struct stamps stamps;
};

/* Sets the clock of a vCPU, for later rows. */
void source_clocks_learn(struct source_clocks *clocks,
                         const struct xensched_clock *clock);

/*
 * Tells that small stamps of the source are near to @host's time.  Called before the first row of a
 * batch of @cpu.
 */
void source_clocks_know_time(struct source_clocks *clocks, uint32_t cpu,
                             const struct stamps *host);

/* Returns the host's TSC when @row, of a batch of @cpu, was written. */
uint64_t source_clocks_cycles(struct source_clocks *clocks, uint32_t cpu,
                              const struct xensched_layout *layout,
                              const struct xensched_row *row);

void source_clocks_free(struct source_clocks *clocks);

#endif /* XENSCHED_TIMELINE_SOURCE_CLOCKS_H */
