/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * source.h - sources of rows.
 *
 * All sources have the same iterator.  Code that uses rows does not depend on their source, and
 * its tests need no Xen:
 *
 *   hypervisor          the live area of this host
 *   linux               the area of the Linux on which the caller runs
 *   domain:DOMID        the area of a driver domain
 *   recording:FILE      a recording, docs/internals/recording-format.md
 *   synthetic:OPTIONS   synthetic rows, determined by the options
 *
 * The part before the colon selects a row of the table in lib/source/source.c.  A
 * new source is one file with a struct xensched_source_ops, and a table row.
 *
 * Options of synthetic are separated by commas:
 *   seed=N              of the pseudo-random numbers, default 1
 *   cpus=N              spread rows over N pCPUs, default 1
 *   rows=N              end after N rows, default 0: never
 *   batch=N             rows per batch, default 64
 *   rate=N              rows per second of the batches' time stamps, default
 *                       1000
 *   lose=N              report N rows as lost before each batch, default 0
 *   pair=EVENT/CURRENT/CORRESPONDENT/WEIGHT/COUNTER
 *                       rows of this kind, WEIGHT times as often as rows of
 *                       weight 1; at least one pair, at most 64
 *   phase=N             begin a phase of N seconds (of the rate): the pairs
 *                       after this option have rows in this phase only.
 *                       Phases follow each other, and restart after the last
 *                       one.  Pairs before the first phase have rows in all.
 *                       At most 64
 */
#ifndef XENSCHED_SOURCE_H
#define XENSCHED_SOURCE_H

#include <xensched/area.h>
#include <xensched/error.h>
#include <xensched/reader.h>
#include <xensched/recording.h>

struct xensched_source;

struct xensched_source_stats {
    uint64_t batches;
    uint64_t rows;
    uint64_t bytes;
    uint64_t lost_rows;
    uint64_t lost_bytes;
    uint64_t nonsense; /* log states that contradicted themselves */
    uint64_t due;      /* log buffers found past their watermark, see doorbell.h */
};

/*
 * Opens the source that @spec describes.  @area is for live sources and has to stay valid until
 * the source is closed; without it they attach to the existing area.  Other sources ignore it.
 *
 * Returns 0 and sets *source, -EINVAL for a wrong @spec, or the error of the source.
 */
int xensched_source_open(const char *spec, struct xensched_area *area,
                         struct xensched_source **source,
                         struct xensched_error *err);

/*
 * Attaches, read-only, to the area of the live source that @spec describes.  Returns what the
 * area's attach function returns, or -EINVAL if the source is not a live one.
 */
int xensched_source_attach(const char *spec, struct xensched_area **area,
                           struct xensched_error *err);

/* What xensched_source_next() returns besides negative errno values. */
enum xensched_next {
    XENSCHED_IDLE = 0,  /* no batch at the moment; *batch is not valid */
    XENSCHED_BATCH = 1, /* *batch is valid */
    XENSCHED_END = 2,   /* the source has ended */
};

/*
 * Reads the next batch.  Its rows are valid until the next call for the same source.  A live
 * source returns XENSCHED_IDLE after a limited number of batches, even if its producer is faster
 * than its reader.
 *
 * An error does not affect earlier batches.  After an error the source can only be closed.
 */
int xensched_source_next(struct xensched_source *source,
                         struct xensched_batch *batch,
                         struct xensched_error *err);

void xensched_source_stats(const struct xensched_source *source,
                           struct xensched_source_stats *stats);

/*
 * For a live source of the area's owner: makes the doorbell ring for the very next row of these
 * log buffers (a mask of 1 << number, for numbers below 32), and not when they are half full.
 * Takes effect with the next read of them.
 */
void xensched_source_hurry(struct xensched_source *source, uint32_t files);

/*
 * For a live source: leaves these log buffers (a mask as above) to another reader.  The source
 * does not read them, and does not count their rows as lost.
 */
void xensched_source_leave(struct xensched_source *source, uint32_t files);

/*
 * The description of the host at the time of the latest batch: *text has *length bytes, and is
 * valid until the next batch.  Returns the number of descriptions so far; 0: none, and *text is
 * NULL.  Only recordings have descriptions.
 */
uint64_t xensched_source_host(const struct xensched_source *source,
                              const char **text, size_t *length);

/*
 * The producer of the rows whose batch.source is @id, as the recording has described it so far;
 * NULL: it has not, or the source is not a recording.
 */
const struct xensched_source_info *
xensched_source_whose(const struct xensched_source *source, uint32_t id);

/* tsc_khz of the producer; 0: unknown. */
uint64_t xensched_source_tsc_khz(const struct xensched_source *source);

/* NULL is allowed. */
void xensched_source_close(struct xensched_source *source);

#endif /* XENSCHED_SOURCE_H */
