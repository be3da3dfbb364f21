/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * source.h - where rows come from.
 *
 * All sources have the same iterator, so that whatever uses rows doesn't know
 * (and can be tested without knowing) where they are from:
 *
 *   hypervisor          the live area of this host
 *   linux               that of the Linux below us
 *   domain:DOMID        that of a driver domain
 *   recording:FILE      a recorded file, docs/internals/recording-format.md
 *   synthetic:OPTIONS   made-up rows, the same ones for the same options
 *
 * The part before the colon selects a row of the table in lib/source/source.c.  A
 * new source is one file with a struct xensched_source_ops, and a table row.
 *
 * Options of synthetic are separated by commas:
 *   seed=N              of the pseudo random numbers, default 1
 *   cpus=N              rows are spread over so many pCPUs, default 1
 *   rows=N              end after so many rows, default 0: never
 *   batch=N             rows per batch, default 64
 *   rate=N              rows per second of the batches' time stamps, default
 *                       1000
 *   lose=N              before each batch N rows are reported lost, default 0
 *   pair=EVENT/CURRENT/CORRESPONDENT/WEIGHT/COUNTER
 *                       rows of this kind, WEIGHT times as often as those with
 *                       weight 1; at least one is needed, at most 64
 *   phase=N             pairs which follow come only in this phase, which
 *                       lasts for N seconds of the rate; phases follow each
 *                       other, and restart after the last one.  Pairs
 *                       before the first are in all of them.  At most 64
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
    uint64_t nonsense; /* log states which contradicted themselves */
    uint64_t due;      /* log files found past their mark, see doorbell.h */
};

/*
 * Open the source which @spec describes.  @area is for the live sources,
 * which attach to what is there without it, and has to stay valid until the
 * source is closed; others ignore it.
 *
 * Returns 0 and sets *source, or -EINVAL for a @spec which is not understood,
 * or what opening returned.
 */
int xensched_source_open(const char *spec, struct xensched_area *area,
                         struct xensched_source **source,
                         struct xensched_error *err);

/*
 * Look, read-only, at the area of the live source which @spec describes.
 * Returns as the area's own function, or -EINVAL: no live source.
 */
int xensched_source_attach(const char *spec, struct xensched_area **area,
                           struct xensched_error *err);

/* What xensched_source_next() returns besides negative errno values. */
enum xensched_next {
    XENSCHED_IDLE = 0,  /* nothing at the moment; *batch is not valid */
    XENSCHED_BATCH = 1, /* *batch is valid */
    XENSCHED_END = 2,   /* there will be nothing more */
};

/*
 * Get the next batch.  Its rows are valid until the next call for the same
 * source.  A live source returns XENSCHED_IDLE after at most a fixed number
 * of batches, even if its producer is faster than its reader.
 *
 * An error doesn't invalidate batches which came before.  After an error the
 * source can only be closed.
 */
int xensched_source_next(struct xensched_source *source,
                         struct xensched_batch *batch,
                         struct xensched_error *err);

void xensched_source_stats(const struct xensched_source *source,
                           struct xensched_source_stats *stats);

/*
 * Of the owner's live source: have its doorbell ring for the very next row of
 * these log files (a mask of 1 << number, those below 32), and not when they are
 * half full.  As of the next look at them.
 */
void xensched_source_hurry(struct xensched_source *source, uint32_t files);

/*
 * Of a live source: leave these log files (a mask as above) to another
 * reader.  Nothing of them is read, nor is it lost.
 */
void xensched_source_leave(struct xensched_source *source, uint32_t files);

/*
 * What the host was as of the latest batch, for sources which know that:
 * *text has *length bytes, and is valid until the next batch.  Returns how many
 * times it was told so far; 0: never, and *text is NULL.
 */
uint64_t xensched_source_host(const struct xensched_source *source,
                              const char **text, size_t *length);

/*
 * Whose rows those are whose batch.source is @id, as far as a recording said
 * it by now; NULL: it did not, or this is no recording.
 */
const struct xensched_source_info *
xensched_source_whose(const struct xensched_source *source, uint32_t id);

/* tsc_khz of the producer, 0 when there is none. */
uint64_t xensched_source_tsc_khz(const struct xensched_source *source);

/* NULL is allowed. */
void xensched_source_close(struct xensched_source *source);

#endif /* XENSCHED_SOURCE_H */
