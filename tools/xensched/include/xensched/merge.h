/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * merge.h - merges the rows of all sources of a recording in the order of the host's TSC.
 *
 * Rows are delivered in the order of time_ns.  A vCPU can be preempted between reading the clock
 * and publishing its row.  A row that becomes visible after later rows were delivered is
 * delivered at once, marked and counted as late.
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

/* error_ns of rows without a time stamp of a TSC. */
#define XENSCHED_NO_TIME UINT64_MAX

enum xensched_merged_what {
    XENSCHED_MERGED_ROW,
    XENSCHED_MERGED_LOSS, /* rows are missing in one log of a CPU */
    XENSCHED_MERGED_HOST, /* a new description of the host */
};

struct xensched_merged {
    enum xensched_merged_what what;
    bool late;
    uint32_t source;   /* id, see xensched_merge_source() */
    uint32_t file;     /* log buffer of row.cpu */
    uint64_t time_ns;  /* on the host: ns since its TSC was 0 */
    uint64_t error_ns; /* bound of the error of time_ns */
    /*
     * For ROW.  For LOSS only cpu is valid: a pCPU if the source is the hypervisor, else a vCPU.
     * Use time_ns as the time: row.time has the form that the register selected.
     */
    struct xensched_row row;
    /* For LOSS: rows between since_ns (0: the beginning) and time_ns were lost. */
    uint64_t since_ns;
    uint64_t lost_rows, lost_bytes;
    /* For HOST: the text (docs/internals/recording-format.md), valid until the next call. */
    const char *text;
    size_t length;
};

/* Statistics of what one source has delivered so far. */
struct xensched_merge_stats {
    uint64_t rows;
    uint64_t lost_rows, lost_bytes;
    uint64_t late;     /* rows that came after later ones */
    uint64_t backwards; /* rows a second or more before the previous row: the clock went back,
                           as if the host was suspended */
    uint64_t untimed;  /* rows without a TSC time stamp */
    uint64_t error_ns; /* largest bound of the clock's error */
    uint64_t clocks;   /* number of records of its clocks */
};

/* Errors as xensched_recording_open(). */
int xensched_merge_open(const char *path, struct xensched_merge **merge,
                        struct xensched_error *err);

/*
 * Reads the next one.  Returns 1, 0 at the end, or an error of xensched_recording_read() if the
 * file is cut off or damaged, after everything before the damage was delivered.
 */
int xensched_merge_next(struct xensched_merge *merge,
                        struct xensched_merged *merged,
                        struct xensched_error *err);

const struct xensched_recording_header *
xensched_merge_header(const struct xensched_merge *merge);

/* Converts a time_ns to ns since 1970 (UTC); 0: unknown. */
uint64_t xensched_merge_utc_ns(const struct xensched_merge *merge,
                               uint64_t time_ns);

/*
 * The description of source @id, once its first row has been delivered; NULL: none.  Ids are
 * below XENSCHED_MAX_SOURCES, with gaps.
 */
const struct xensched_source_info *
xensched_merge_source(const struct xensched_merge *merge, uint32_t id);

void xensched_merge_stats(const struct xensched_merge *merge, uint32_t id,
                          struct xensched_merge_stats *stats);

/* NULL is allowed. */
void xensched_merge_close(struct xensched_merge *merge);

#endif /* XENSCHED_MERGE_H */
