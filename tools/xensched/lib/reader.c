/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * reader.c - the copy / re-check protocol; see reader.h.
 *
 * One call is: take a snapshot of the state, see whether it can be, choose
 * the rows to read (those of one layout), copy them, look at the position
 * again, and keep what cannot have been overwritten.  What is not kept is
 * counted.  This file may not write to shared memory, loop on its contents,
 * or use any of them as an index without a mask.
 */
#include <errno.h>
#include <string.h>

#include <xensched/reader.h>

#include "barrier.h"
#include "snapshot.h"

/*
 * With a layout that changed while rows were copied, the row in flight can be
 * of any size and begin above pos, at the next multiple of that size.
 */
#define UNKNOWN_IN_FLIGHT (2 * XEN_SCHEDLOG_MAX_ROW_SIZE)

/* The rows [from, to) of one layout. */
struct segment {
    uint64_t from, to;
    const struct xensched_layout *layout;
    bool former; /* rows of the layout before the present one */
};

static uint64_t round_up(uint64_t value, uint64_t power_of_two)
{
    return (value + power_of_two - 1) & ~(power_of_two - 1);
}

/* Where the rows of the former layout end. */
static uint64_t former_end(const struct snapshot *now)
{
    return now->layout_pos - now->layout_gap;
}

/* Does it fit to what was read before? */
static bool continues(const struct xensched_reader *reader,
                      const struct snapshot *now)
{
    if (now->seq == reader->layout_seq)
        return now->layout.lcr == reader->layout.lcr &&
               now->layout_pos <= reader->pos && reader->pos <= now->pos;

    return reader->pos <= former_end(now);
}

static void adopt(struct xensched_reader *reader, const struct snapshot *now,
                  uint64_t pos)
{
    reader->pos = pos;
    reader->layout_seq = now->seq;
    reader->layout = now->layout;
}

static void start(struct xensched_reader *reader, const struct snapshot *now)
{
    uint64_t pos = now->pos;

    if (reader->begin == XENSCHED_BEGIN_OLDEST) {
        pos = now->layout_pos;
        if (now->pos - pos > reader->size)
            pos = now->pos - reader->size;
    }
    adopt(reader, now, pos);
    reader->begun = true;
}

static void lose(struct xensched_reader *reader, struct xensched_batch *batch,
                 uint64_t bytes, uint32_t row_size)
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

/* Go over to the present layout; rows of the former one are lost. */
static void leave_former(struct xensched_reader *reader,
                         const struct snapshot *now,
                         struct xensched_batch *batch)
{
    lose(reader, batch, former_end(now) - reader->pos, 0);
    adopt(reader, now, now->layout_pos);
}

static void choose(struct xensched_reader *reader, const struct snapshot *now,
                   struct segment *rows, struct xensched_batch *batch)
{
    if (now->seq != reader->layout_seq) {
        uint32_t size = reader->layout.size;
        uint64_t left = former_end(now) - reader->pos;

        /* Only of the layout before this one is it known where it ended. */
        if (now->seq == reader->layout_seq + 2 && left && size &&
            size <= reader->size && !(left & (size - 1))) {
            rows->from = reader->pos;
            rows->to = former_end(now);
            rows->layout = &reader->layout;
            rows->former = true;
            return;
        }
        leave_former(reader, now, batch);
    }
    rows->from = reader->pos;
    rows->to = now->pos;
    rows->layout = &reader->layout;
    rows->former = false;
}

/* First byte at or above @pos which is not overwritten when @end is reached. */
static uint64_t oldest(const struct xensched_reader *reader,
                       const struct segment *rows, uint64_t pos, uint64_t end)
{
    uint64_t low = end > reader->size ? end - reader->size : 0;

    if (low <= pos)
        return pos;
    low = round_up(low, rows->layout->size);

    return low < rows->to ? low : rows->to;
}

static void copy(const struct xensched_reader *reader, uint8_t *to,
                 uint64_t pos, size_t length)
{
    uint32_t offset = pos & (reader->size - 1);
    size_t first = reader->size - offset;

    if (first > length)
        first = length;
    shared_copy(to, reader->data + offset, first);
    shared_copy(to + first, reader->data, length - first);
}

/*
 * After the copy: what the producer may have reached meanwhile.  pos is loaded
 * before layout_seq, as in the snapshot: a row in flight which the copy saw a
 * byte of was begun after its layout was announced.
 */
static bool reached(const struct xensched_reader *reader,
                    const struct snapshot *then, uint64_t *end)
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

static bool read_rows(struct xensched_reader *reader,
                      const struct snapshot *now, const struct segment *rows,
                      uint8_t *buffer, size_t room,
                      struct xensched_batch *batch)
{
    uint32_t size = rows->layout->size;
    uint64_t from = oldest(reader, rows, rows->from, now->pos);
    uint64_t length = rows->to - from, good, end;

    room -= room % size;
    if (length > room)
        length = room;
    copy(reader, buffer, from, length);
    if (!reached(reader, now, &end))
        return false;

    good = oldest(reader, rows, from, end);
    if (good > from + length)
        good = from + length;
    lose(reader, batch, good - rows->from, size);

    batch->layout = *rows->layout;
    batch->pos = good;
    batch->rows = buffer + (good - from);
    batch->length = from + length - good;
    reader->stats.rows += batch->length / size;
    reader->stats.bytes += batch->length;
    reader->pos = from + length;

    return true;
}

void xensched_reader_init(struct xensched_reader *reader,
                          const struct xen_schedlog_state *state,
                          const void *data, uint32_t size,
                          enum xensched_begin begin)
{
    memset(reader, 0, sizeof(*reader));
    reader->state = state;
    reader->data = data;
    reader->size = size;
    reader->begin = begin;
}

static void empty(struct xensched_batch *batch, const void *buffer)
{
    memset(batch, 0, sizeof(*batch));
    batch->rows = buffer;
}

/* What is in the state cannot be; go on from where it says it is. */
static int resynchronise(struct xensched_reader *reader,
                         const struct snapshot *now)
{
    adopt(reader, now, now->pos);
    reader->stats.nonsense++;

    return -EPROTO;
}

int xensched_reader_read(struct xensched_reader *reader, void *buffer,
                         size_t room, struct xensched_batch *batch)
{
    struct snapshot now;
    struct segment rows;

    empty(batch, buffer);
    if (snapshot_take(&now, reader->state)) {
        reader->stats.busy++;
        return -EAGAIN;
    }
    if (!snapshot_plausible(&now, reader->size)) {
        reader->stats.nonsense++;
        return -EPROTO;
    }
    if (!reader->begun)
        start(reader, &now);
    if (!continues(reader, &now))
        return resynchronise(reader, &now);

    choose(reader, &now, &rows, batch);
    batch->layout = *rows.layout;
    batch->pos = rows.from;
    if (rows.from == rows.to)
        return 0;
    if (!read_rows(reader, &now, &rows, buffer, room, batch)) {
        empty(batch, buffer);
        return resynchronise(reader, &now);
    }
    if (rows.former && reader->pos == rows.to)
        leave_former(reader, &now, batch);

    return reader->pos < now.pos;
}
