/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * read-log.h - reads one log buffer while its producer writes: the reader's side of the contract
 * in <xen/schedlog.h>.  Headers only: a program includes this file and links nothing.
 *
 * A reader works on any memory with a struct xen_schedlog_state and a cyclic buffer.  It never
 * writes to either, never waits for the producer and never starts over, so there can be any number
 * of readers of one log buffer.
 *
 * The reader does not trust the shared memory: whatever the state contains, and however it changes,
 * a call ends after a bounded number of steps and touches only the buffer that it was given.  If a
 * state contradicts itself, the reader counts it and reads nothing from it.
 *
 * One call takes a snapshot of the state, checks it, chooses the rows of one layout, copies them,
 * reads the position again, keeps the rows that cannot have been overwritten, and counts the
 * others.  This file may not write to shared memory, loop on its contents, or use any of them as
 * an index without a mask.
 *
 * Not thread safe; two threads use two readers.
 *
 * Use counter.h for counting log buffers (XEN_SCHEDLOG_LCR_ADD).  A log buffer of a single row does
 * not suit this reader either: the row that is written next counts as overwritten, so a single row
 * is never delivered.
 *
 * tests/unit/lib/test-interleavings.c runs this against the producer's code, one
 * load between any two of its stores.
 */
#ifndef XENSCHED_READ_LOG_H
#define XENSCHED_READ_LOG_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <xensched/barrier.h>
#include <xensched/log-state.h>
#include <xensched/reader.h>

/* Where a new reader begins. */
enum xensched_begin {
    XENSCHED_BEGIN_NOW,    /* with the next row that is written */
    XENSCHED_BEGIN_OLDEST, /* with the oldest row in the log buffer */
};

struct xensched_reader_stats {
    uint64_t rows;          /* delivered */
    uint64_t bytes;         /* delivered */
    uint64_t lost_rows;     /* overwritten before they could be read */
    uint64_t lost_bytes;    /* bytes of lost_rows, and unknown_bytes */
    uint64_t unknown_bytes; /* lost bytes of an unknown layout */
    uint64_t busy;          /* calls during a change of the layout */
    uint64_t nonsense;      /* calls that found an impossible state */
};

/*
 * A reader.  The caller provides the memory; the members are the reader's own, except stats, which
 * the caller may read between calls.
 */
struct xensched_reader {
    const struct xen_schedlog_state *state;
    const uint8_t *data;
    uint32_t size;
    enum xensched_begin begin;
    bool begun;
    uint64_t pos;                  /* everything below is delivered or lost */
    uint32_t layout_seq;           /* of the layout below */
    struct xensched_layout layout; /* of the rows at pos */
    struct xensched_reader_stats stats;
};

/*
 * If the layout changed while rows were copied, the row in flight can be of any size, and begins
 * above pos at the next multiple of its size.
 */
#define UNKNOWN_IN_FLIGHT (2 * XEN_SCHEDLOG_MAX_ROW_SIZE)

/* The rows [from, to) of one layout. */
struct reader_segment {
    uint64_t from, to;
    const struct xensched_layout *layout;
    bool former; /* rows of the layout before the present one */
};

static inline uint64_t reader_round_up(uint64_t value, uint64_t power_of_two)
{
    return (value + power_of_two - 1) & ~(power_of_two - 1);
}

/* Where the rows of the former layout end. */
static inline uint64_t reader_former_end(const struct log_state *now)
{
    return now->layout_pos - now->layout_gap;
}

/* Does the state continue what was read before? */
static inline bool reader_continues(const struct xensched_reader *reader,
                                    const struct log_state *now)
{
    if (now->seq == reader->layout_seq)
        return now->layout.lcr == reader->layout.lcr &&
               now->layout_pos <= reader->pos && reader->pos <= now->pos;

    return reader->pos <= reader_former_end(now);
}

static inline void reader_adopt(struct xensched_reader *reader,
                                const struct log_state *now, uint64_t pos)
{
    reader->pos = pos;
    reader->layout_seq = now->seq;
    reader->layout = now->layout;
}

static inline void reader_start(struct xensched_reader *reader,
                                const struct log_state *now)
{
    uint64_t pos = now->pos;

    if (reader->begin == XENSCHED_BEGIN_OLDEST) {
        pos = now->layout_pos;
        if (now->pos - pos > reader->size)
            pos = now->pos - reader->size;
    }
    reader_adopt(reader, now, pos);
    reader->begun = true;
}

static inline void reader_lose(struct xensched_reader *reader,
                               struct xensched_batch *batch, uint64_t bytes,
                               uint32_t row_size)
{
    batch->lost_bytes += bytes;
    reader->stats.lost_bytes += bytes;
    if (row_size) {
        batch->lost_rows += bytes / row_size;
        reader->stats.lost_rows += bytes / row_size;
    } else {
        reader->stats.unknown_bytes += bytes;
    }
}

/* Changes to the present layout; the remaining rows of the former one are lost. */
static inline void reader_leave_former(struct xensched_reader *reader,
                                       const struct log_state *now,
                                       struct xensched_batch *batch)
{
    reader_lose(reader, batch, reader_former_end(now) - reader->pos, 0);
    reader_adopt(reader, now, now->layout_pos);
}

static inline void reader_choose(struct xensched_reader *reader,
                                 const struct log_state *now,
                                 struct reader_segment *rows,
                                 struct xensched_batch *batch)
{
    if (now->seq != reader->layout_seq) {
        uint32_t size = reader->layout.size;
        uint64_t left = reader_former_end(now) - reader->pos;

        /* The state contains only the end of the layout before this one. */
        if (now->seq == reader->layout_seq + 2 && left && size &&
            size <= reader->size && !(left & (size - 1))) {
            rows->from = reader->pos;
            rows->to = reader_former_end(now);
            rows->layout = &reader->layout;
            rows->former = true;
            return;
        }
        reader_leave_former(reader, now, batch);
    }
    rows->from = reader->pos;
    rows->to = now->pos;
    rows->layout = &reader->layout;
    rows->former = false;
}

/* The first byte at or above @pos that is not overwritten when the producer reaches @end. */
static inline uint64_t reader_oldest(const struct xensched_reader *reader,
                                     const struct reader_segment *rows,
                                     uint64_t pos, uint64_t end)
{
    uint64_t low = end > reader->size ? end - reader->size : 0;

    if (low <= pos)
        return pos;
    low = reader_round_up(low, rows->layout->size);

    return low < rows->to ? low : rows->to;
}

static inline void reader_copy(const struct xensched_reader *reader,
                               uint8_t *to, uint64_t pos, size_t length)
{
    uint32_t offset = pos & (reader->size - 1);
    size_t first = reader->size - offset;

    if (first > length)
        first = length;
    shared_copy(to, reader->data + offset, first);
    shared_copy(to + first, reader->data, length - first);
}

/*
 * After the copy: the position that the producer may have reached meanwhile.  pos is loaded before
 * layout_seq, as in the snapshot: if the copy contains a byte of a row in flight, that row was
 * begun after its layout was announced.
 */
static inline bool reader_reached(const struct xensched_reader *reader,
                                  const struct log_state *then, uint64_t *end)
{
    uint64_t pos = shared_load_acquire64(&reader->state->pos);
    uint32_t seq = shared_load_acquire32(&reader->state->layout_seq);

    if (pos < then->seen_pos || pos >= IMPOSSIBLE_POS)
        return false;
    if (pos < then->pos)
        pos = then->pos;

    *end = pos + (seq == then->seq ? then->row_size : UNKNOWN_IN_FLIGHT);

    return true;
}

static inline bool reader_read_rows(struct xensched_reader *reader,
                                    const struct log_state *now,
                                    const struct reader_segment *rows,
                                    uint8_t *buffer, size_t room,
                                    struct xensched_batch *batch)
{
    uint32_t size = rows->layout->size;
    uint64_t from = reader_oldest(reader, rows, rows->from, now->pos);
    uint64_t length = rows->to - from, good, end;

    room -= room % size;
    if (length > room)
        length = room;
    reader_copy(reader, buffer, from, length);
    if (!reader_reached(reader, now, &end))
        return false;

    good = reader_oldest(reader, rows, from, end);
    if (good > from + length)
        good = from + length;
    reader_lose(reader, batch, good - rows->from, size);

    batch->layout = *rows->layout;
    batch->pos = good;
    batch->rows = buffer + (good - from);
    batch->length = from + length - good;
    reader->stats.rows += batch->length / size;
    reader->stats.bytes += batch->length;
    reader->pos = from + length;

    return true;
}

/*
 * Begins to read.  @state and @data are the shared memory and have to stay valid; @size is the
 * size of the log buffer in bytes, a power of two.
 */
static inline void
xensched_reader_init(struct xensched_reader *reader,
                     const struct xen_schedlog_state *state, const void *data,
                     uint32_t size, enum xensched_begin begin)
{
    memset(reader, 0, sizeof(*reader));
    reader->state = state;
    reader->data = data;
    reader->size = size;
    reader->begin = begin;
}

static inline void reader_empty(struct xensched_batch *batch,
                                const void *buffer)
{
    memset(batch, 0, sizeof(*batch));
    batch->rows = buffer;
}

/* The state is impossible; continues from its position. */
static inline int reader_resynchronise(struct xensched_reader *reader,
                                       const struct log_state *now)
{
    reader_adopt(reader, now, now->pos);
    reader->stats.nonsense++;

    return -EPROTO;
}

/*
 * Copies rows that have been written since the last call to @buffer, which has @room bytes, at
 * least XEN_SCHEDLOG_MAX_ROW_SIZE.  @batch describes the rows, which may not be at the beginning
 * of @buffer; its cpu, file and time_ns are 0.
 *
 * Returns 1 if more rows are available at once, and 0 if not.  In both cases the batch may be
 * empty.  A caller that calls again after 1 should limit the number of calls: a producer can be
 * faster than its reader.
 *
 * Returns -EAGAIN if the producer is changing the layout, and -EPROTO if the state is impossible.
 * The batch is empty then; call again.
 */
static inline int xensched_reader_read(struct xensched_reader *reader,
                                       void *buffer, size_t room,
                                       struct xensched_batch *batch)
{
    struct log_state now;
    struct reader_segment rows;

    reader_empty(batch, buffer);
    if (log_state_take(&now, reader->state)) {
        reader->stats.busy++;
        return -EAGAIN;
    }
    if (!log_state_plausible(&now, reader->size)) {
        reader->stats.nonsense++;
        return -EPROTO;
    }
    if (!reader->begun)
        reader_start(reader, &now);
    if (!reader_continues(reader, &now))
        return reader_resynchronise(reader, &now);

    reader_choose(reader, &now, &rows, batch);
    batch->layout = *rows.layout;
    batch->pos = rows.from;
    if (rows.from == rows.to)
        return 0;
    if (!reader_read_rows(reader, &now, &rows, buffer, room, batch)) {
        reader_empty(batch, buffer);
        return reader_resynchronise(reader, &now);
    }
    if (rows.former && reader->pos == rows.to)
        reader_leave_former(reader, &now, batch);

    return reader->pos < now.pos;
}

#endif /* XENSCHED_READ_LOG_H */
