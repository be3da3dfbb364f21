/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * counter.h - reads a log buffer that counts (XEN_SCHEDLOG_LCR_ADD) while its producer counts.
 *
 * The producer adds each event to the counter of the next row in turn, and overwrites the row's
 * other entries.  The count of the log buffer is the sum over its rows.  A log buffer of one row
 * is the cheapest to read and to write.
 *
 * A counter is one aligned word, so the reader never sees it half written.  The producer may add
 * events while the reader sums up; each event is then either in this sum or in the next one.  So
 * the number of events between any two reads is exact, unless a counter is full: it stays at its
 * limit, and the reader reports that.
 *
 * A counter starts from the former contents of the log buffer: 0 in a new one, the remains of
 * other rows if it was in use.  In that case use what was added, not the value.
 *
 * As with reader.h, the reader writes nothing and never waits for the producer, any number of
 * threads can read one log buffer with a struct xensched_counter each, and no contents of the
 * shared memory are trusted.
 */
#ifndef XENSCHED_COUNTER_H
#define XENSCHED_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/row.h>

/* The caller provides the memory; the members are the library's own. */
struct xensched_counter {
    const struct xen_schedlog_state *state;
    const uint8_t *data;
    uint32_t size;
    bool begun;          /* the members below are those of the last read */
    uint32_t layout_seq;
    uint64_t value;
    uint64_t pos;
};

struct xensched_count {
    uint64_t value;      /* the sum over all rows */
    uint64_t added;      /* increase of value since the last read */
    uint64_t events;     /* number of events since the register was set */
    uint64_t new_events; /* number of events since the last read */
    uint32_t rows;       /* rows of the log buffer; 0: nothing written yet */
    /* This is the first read, or the first after a write of the register: added and new_events
     * are 0. */
    bool restarted;
    /* A counter is full: added may be too small. */
    bool saturated;
    /*
     * The row that was written last; its counter is the row's own, not the sum.  Each entry is
     * whole, but two entries can come from different events.  If all events of a log buffer have
     * the same ids, the ids are right.  cpu is 0; before the first event nothing is valid.
     */
    struct xensched_row row;
};

/*
 * Begins to read.  @state and @data are the shared memory and have to stay valid; @data is
 * aligned to 8 bytes.  @size is the size of the log buffer in bytes, a power of two.
 */
void xensched_counter_init(struct xensched_counter *counter,
                           const struct xen_schedlog_state *state,
                           const void *data, uint32_t size);

/*
 * Reads the count of the log buffer.  If the first read is before the first event, it returns 0
 * and later reads miss no event.
 *
 * Returns 0 or
 *   -EINVAL  the log buffer does not count: its register has no ADD, no counter, or selects a row
 *            that is larger than the log buffer.  The register is the one of the last event; a
 *            change shows with the next event.
 *   -EAGAIN  the producer is changing the layout; call again
 *   -EPROTO  the contents are impossible: positions or counters went back
 * @count is all 0 after an error.  After -EINVAL and -EPROTO the next good read sets restarted.
 */
int xensched_counter_read(struct xensched_counter *counter,
                          struct xensched_count *count);

#endif /* XENSCHED_COUNTER_H */
