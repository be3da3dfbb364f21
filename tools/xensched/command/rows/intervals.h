/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intervals.h - counts rows per interval of time, on each pCPU, by event and by log buffer.
 *
 * A row belongs to the interval in which it was written, if it has a TSC time stamp, otherwise to
 * the interval in which it was read.
 */
#ifndef XENSCHED_INTERVALS_H
#define XENSCHED_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/reader.h>

#include "timeline/rows/source-clocks.h"

/* Rows without an event. */
#define INTERVALS_NO_EVENT XEN_SCHEDLOG_NR_EVENTS

/*
 * The most readers, with different intervals, whose demand is computed; and the most consecutive
 * intervals that are considered.
 */
#define INTERVALS_READERS 2
#define INTERVALS_WINDOW 128

struct interval_event {
    uint64_t rows; /* in total */
    uint64_t now;  /* in the present interval */
    uint64_t most; /* in any interval */
};

/* A log buffer of a pCPU. */
struct interval_log {
    uint32_t cpu, file;
    uint32_t row_size; /* bytes of the largest row */
    uint64_t rows, lost_rows, lost_bytes;
    struct interval_event events[INTERVALS_NO_EVENT + 1];
    /* The most bytes that any reader finds, at any time. */
    uint64_t most[INTERVALS_READERS];
    /* Private to intervals.c. */
    struct stamps stamps;
    uint64_t at; /* number of the present interval */
    uint64_t bytes[INTERVALS_WINDOW];
    uint64_t sum[INTERVALS_READERS];
};

struct intervals {
    uint64_t length_ns;
    unsigned int nr_readers;
    uint64_t reader_ns[INTERVALS_READERS];
    unsigned int window[INTERVALS_READERS]; /* intervals */
    uint64_t tsc_khz;
    struct interval_log **logs; /* in the order of their first rows */
    size_t nr_logs;
    uint64_t rows, lost_rows, lost_bytes;
    uint64_t first_ns, last_ns; /* when batches were read */
};

/*
 * @tsc_khz is that of xensched_source_tsc_khz().  A reader's interval may not exceed
 * INTERVALS_WINDOW - 1 intervals.
 */
void intervals_init(struct intervals *in, uint64_t length_ns,
                    uint64_t tsc_khz);
void intervals_add_reader(struct intervals *in, uint64_t reader_ns);

/* Ends the program without memory. */
void intervals_take(struct intervals *in, const struct xensched_batch *batch);

/* Returns the number of intervals from the first batch to the last, at least 1. */
double intervals_number(const struct intervals *in);

void intervals_free(struct intervals *in);

#endif /* XENSCHED_INTERVALS_H */
