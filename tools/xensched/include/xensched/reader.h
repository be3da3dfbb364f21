/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * reader.h - read one log file while its producer goes on writing.
 *
 * The protocol is the one at the top of <xen/schedlog.h>.  A reader works on
 * any memory which has a struct xen_schedlog_state and a cyclic buffer, never
 * writes to either, never waits for the producer and never starts over, so
 * there can be any number of readers of one file.
 *
 * Nothing that is found in the shared memory is believed:  whatever the state
 * says, and however it changes, a call ends after a bounded number of steps
 * and touches only the buffer which it was given.  A state which contradicts
 * itself is counted and nothing is read from it.
 *
 * Not thread safe; two threads use two readers.
 *
 * Counting files (XEN_SCHEDLOG_LCR_ADD) are for counter.h.  Log files which
 * hold a single row are not for this reader either: the row which is written
 * next is always taken for overwritten, so of one row nothing is delivered.
 */
#ifndef XENSCHED_READER_H
#define XENSCHED_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xensched/row.h>

/* Where a new reader begins. */
enum xensched_begin {
    XENSCHED_BEGIN_NOW,    /* with the next row which is written */
    XENSCHED_BEGIN_OLDEST, /* with the oldest row which is still there */
};

/*
 * A run of rows of one layout, without a gap.  @rows points to @length bytes,
 * a multiple of @layout.size; row i is at rows + i * layout.size.  The memory
 * belongs to whoever delivered the batch, see there for how long it is valid.
 *
 * @lost_bytes and @lost_rows say what was lost immediately before the first
 * row.  @lost_rows counts rows whose layout was known; bytes of which not
 * even that was known are in @lost_bytes only.  A batch may have no rows and
 * only report a loss.
 */
struct xensched_batch {
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
 * how many there were.  Whoever looks at all rows of a batch does it in blocks
 * with this, it is several times as fast as one by one.
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

struct xensched_reader_stats {
    uint64_t rows;          /* delivered */
    uint64_t bytes;         /* delivered */
    uint64_t lost_rows;     /* overwritten before they could be read */
    uint64_t lost_bytes;    /* of these, and of unknown layout */
    uint64_t unknown_bytes; /* of lost_bytes: their layout was not known */
    uint64_t busy;          /* calls which met a change of the layout */
    uint64_t nonsense;      /* calls which met a state that cannot be */
};

/*
 * A reader.  The caller provides the memory; the members are the reader's
 * own, except stats, which may be read at any time between calls.
 */
struct xensched_reader {
    const struct xen_schedlog_state *state;
    const uint8_t *data;
    uint32_t size;
    enum xensched_begin begin;
    bool begun;
    uint64_t pos;                  /* everything below is dealt with */
    uint32_t layout_seq;           /* of the layout below */
    struct xensched_layout layout; /* of the rows at pos */
    struct xensched_reader_stats stats;
};

/*
 * Begin to read.  @state and @data are the shared memory and have to stay
 * valid; @size is the size of the log file in bytes, a power of two.
 */
void xensched_reader_init(struct xensched_reader *reader,
                          const struct xen_schedlog_state *state,
                          const void *data, uint32_t size,
                          enum xensched_begin begin);

/*
 * Copy rows which have been written since the last call to @buffer, which has
 * @room bytes, at least XEN_SCHEDLOG_MAX_ROW_SIZE.  @batch is filled in with
 * rows in @buffer (not necessarily at its beginning); cpu, file and time_ns
 * are set to 0.
 *
 * Returns 1 when there is more to be had by calling again at once, 0 when
 * there is not.  Either way the batch may or may not have rows.  A caller
 * which calls again on 1 should do so a limited number of times: a producer
 * can be faster than its reader.
 *
 * Returns -EAGAIN when the producer is changing the layout and -EPROTO when
 * the state does not make sense.  The batch is empty then, and the next call
 * tries again.
 */
int xensched_reader_read(struct xensched_reader *reader, void *buffer,
                         size_t room, struct xensched_batch *batch);

#endif /* XENSCHED_READER_H */
