/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * reader.h - what comes out of a log file: batches of rows.  read-log.h reads
 * them, source.h delivers those of a whole host.
 */
#ifndef XENSCHED_READER_H
#define XENSCHED_READER_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/row.h>

/*
 * A run of rows of one layout, without a gap.  @rows points to @length bytes,
 * a multiple of @layout.size; row i is at rows + i * layout.size.  The memory
 * belongs to the function that delivered the batch, see there for how long it is valid.
 *
 * @lost_bytes and @lost_rows say what was lost immediately before the first
 * row.  @lost_rows counts rows whose layout was known; bytes of which not
 * even that was known are in @lost_bytes only.  A batch may have no rows and
 * only report a loss.
 */
struct xensched_batch {
    uint32_t source; /* whose log, by its id in a recording; else 0 */
    uint32_t cpu;
    uint32_t file;
    struct xensched_layout layout;
    uint64_t pos; /* position of the first row in its log file, in bytes */
    uint64_t lost_bytes;
    uint64_t lost_rows;
    uint64_t time_ns; /* when it was read; CLOCK_MONOTONIC or the like */
    const void *rows;
    size_t length; /* bytes */
};

static inline size_t xensched_batch_rows(const struct xensched_batch *batch)
{
    return batch->layout.size ? batch->length / batch->layout.size : 0;
}

static inline void xensched_batch_row(const struct xensched_batch *batch,
                                      size_t i, struct xensched_row *row)
{
    xensched_row_decode(&batch->layout, batch->cpu,
                        (const uint8_t *)batch->rows + i * batch->layout.size,
                        row);
}

/*
 * Decode rows from number @first on to @rows, at most @max of them.  Returns
 * how many there were.  To look at all rows of a batch in blocks with this
 * is several times as fast as one by one.
 */
static inline size_t xensched_batch_decode(const struct xensched_batch *batch,
                                           size_t first,
                                           struct xensched_row *rows,
                                           size_t max)
{
    size_t nr = xensched_batch_rows(batch);

    nr = first < nr ? nr - first : 0;
    if (nr > max)
        nr = max;
    if (nr)
        xensched_rows_decode(&batch->layout, batch->cpu,
                             (const uint8_t *)batch->rows +
                             first * batch->layout.size, nr, rows);

    return nr;
}

#endif /* XENSCHED_READER_H */
