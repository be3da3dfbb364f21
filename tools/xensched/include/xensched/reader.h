/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * reader.h - batches of rows.  read-log.h reads them from one log buffer, source.h delivers
 * those of a whole host.
 */
#ifndef XENSCHED_READER_H
#define XENSCHED_READER_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/row.h>

/*
 * A run of rows of one layout, without a gap.  @rows points to @length bytes,
 * a multiple of @layout.size; row i is at rows + i * layout.size.  The function that delivered the
 * batch owns the memory and documents how long it is valid.
 *
 * @lost_bytes and @lost_rows count what was lost immediately before the first row.  Bytes of an
 * unknown layout are in @lost_bytes only.  A batch may have no rows and only report a loss.
 */
struct xensched_batch {
    uint32_t source; /* id of the source in a recording; else 0 */
    uint32_t cpu;
    uint32_t file;
    struct xensched_layout layout;
    uint64_t pos; /* position of the first row in its log buffer, in bytes */
    uint64_t lost_bytes;
    uint64_t lost_rows;
    uint64_t time_ns; /* when the batch was read; CLOCK_MONOTONIC or the like */
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
 * Decodes at most @max rows, from number @first on, to @rows.  Returns their number.  Decoding
 * the rows of a batch in blocks is several times as fast as one by one.
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
