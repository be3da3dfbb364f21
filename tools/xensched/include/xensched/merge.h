/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * merge.h - the rows of all sources of a recording in one order, that of the
 * host's TSC.
 *
 * Rows are delivered in the order of time_ns.  One that became visible only
 * after later ones were delivered is delivered at once, and marked and counted
 * as late: a vCPU can be preempted between reading the clock and publishing its
 * row.
 *
 * Memory is bounded: about a second of rows, at most a million of them.
 */
#ifndef XENSCHED_MERGE_H
#define XENSCHED_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>
#include <xensched/recording.h>

struct xensched_merge;

/* error_ns of what has no time stamp of a TSC. */
#define XENSCHED_NO_TIME UINT64_MAX

enum xensched_merged_what {
    XENSCHED_MERGED_ROW,
    XENSCHED_MERGED_LOSS, /* rows are missing in one log of a CPU */
    XENSCHED_MERGED_HOST, /* the host has changed, or is told first */
};

struct xensched_merged {
    enum xensched_merged_what what;
    bool late;
    uint32_t source;   /* id, see xensched_merge_source() */
    uint32_t file;     /* log file of row.cpu */
    uint64_t time_ns;  /* of the host: ns since its TSC was 0 */
    uint64_t error_ns; /* what is true is at most so far away */
    /*
     * ROW; of LOSS only cpu is valid: a pCPU of the hypervisor, else a vCPU.
     * row.time is what the register selected; time_ns is what to use.
     */
    struct xensched_row row;
    /* LOSS: of rows between since_ns (0: the beginning) and time_ns. */
    uint64_t since_ns;
    uint64_t lost_rows, lost_bytes;
    /* HOST: the text, see docs/internals/recording-format.md, until the next call. */
    const char *text;
    size_t length;
};

/* Of one source, of what was delivered so far. */
struct xensched_merge_stats {
    uint64_t rows;
    uint64_t lost_rows, lost_bytes;
    uint64_t late;     /* rows that came after later ones */
    uint64_t backwards; /* rows a second or more before the one that was written
                           before: the clock went back, as when a host was
                           suspended */
    uint64_t untimed;  /* rows without a TSC time stamp */
    uint64_t error_ns; /* largest bound of the clock's error */
    uint64_t clocks;   /* how often a clock of it was told */
};

/* Errors as xensched_recording_open(). */
int xensched_merge_open(const char *path, struct xensched_merge **merge,
                        struct xensched_error *err);

/*
 * The next one.  Returns 1, 0 at the end, or as xensched_recording_read() when
 * the file is cut off or damaged; then all that came before it was delivered.
 */
int xensched_merge_next(struct xensched_merge *merge,
                        struct xensched_merged *merged,
                        struct xensched_error *err);

const struct xensched_recording_header *
xensched_merge_header(const struct xensched_merge *merge);

/* ns since 1970 (UTC) of a time_ns; 0: not known. */
uint64_t xensched_merge_utc_ns(const struct xensched_merge *merge,
                               uint64_t time_ns);

/*
 * What is known of source @id, when its first row has been delivered; NULL:
 * nothing.  Ids are below XENSCHED_MAX_SOURCES, with holes.
 */
const struct xensched_source_info *
xensched_merge_source(const struct xensched_merge *merge, uint32_t id);

void xensched_merge_stats(const struct xensched_merge *merge, uint32_t id,
                          struct xensched_merge_stats *stats);

/* NULL is allowed. */
void xensched_merge_close(struct xensched_merge *merge);

#endif /* XENSCHED_MERGE_H */
