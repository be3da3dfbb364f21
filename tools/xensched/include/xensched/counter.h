/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * counter.h - read a log file that counts (XEN_SCHEDLOG_LCR_ADD) while its
 * producer goes on counting.
 *
 * The producer adds each event to the counter of the row whose turn it is, and
 * overwrites the row's other entries.  With one row it is always the same; with
 * more the rows take turns, so what the file has counted is the sum over its
 * rows.  A file of one row is the cheapest to read and to write.
 *
 * A counter is one aligned word, so it is never seen half written.  While a sum
 * is made the producer may go on; an event is then in this sum or in the next
 * one, never in both and never in neither.  So what was added between any two
 * reads is exact, unless a counter is full: it stays at its limit, and that is
 * told.
 *
 * What a counter starts from is what was in the log file: 0 in a new one, the
 * remains of other rows if it was used for something else before.  Then only
 * what was added has a meaning, not the value.
 *
 * As with reader.h: nothing is ever written, the producer is never waited for,
 * any number of threads can read one file with a struct xensched_counter each,
 * and nothing that is found in the shared memory is believed.
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
    bool begun;          /* there is something to compare with, namely */
    uint32_t layout_seq; /* of what follows */
    uint64_t value;
    uint64_t pos;
};

struct xensched_count {
    uint64_t value;      /* the sum over all rows */
    uint64_t added;      /* to it since the last read */
    uint64_t events;     /* which were added since the register was set */
    uint64_t new_events; /* of these, since the last read */
    uint32_t rows;       /* which the log file has; 0: nothing written yet */
    /*
     * There is nothing to compare with: this is the first read, or the
     * register was written since the last one.  added and new_events are 0.
     */
    bool restarted;
    /* A counter is full: added may be less than what was counted. */
    bool saturated;
    /*
     * The row that was written last; its counter is its own, not the sum.
     * Its entries are whole, but while events come they can be of two events.
     * Where all events of a file have the same ids, these are right anyway.
     * cpu is 0, and nothing is valid before the first event.
     */
    struct xensched_row row;
};

/*
 * Begin to read.  @state and @data are the shared memory and have to stay
 * valid, @data is aligned to 8 bytes; @size is the size of the log file in
 * bytes, a power of two.
 */
void xensched_counter_init(struct xensched_counter *counter,
                           const struct xen_schedlog_state *state,
                           const void *data, uint32_t size);

/*
 * Read what the log file has counted.  Before the first event there, this is
 * 0, and a good time for the first read: everything is added later.
 *
 * Returns 0 or
 *   -EINVAL  the log file doesn't count: its register has no ADD, no counter,
 *            or selects a row which is larger than the file.  The register is
 *            the one of the last event; a change shows with the next event.
 *   -EAGAIN  the producer is changing the layout; the next call tries again
 *   -EPROTO  what is there cannot be (positions or counters went back)
 * @count is all 0 then.  After -EINVAL and -EPROTO the next good read is
 * "restarted".
 */
int xensched_counter_read(struct xensched_counter *counter,
                          struct xensched_count *count);

#endif /* XENSCHED_COUNTER_H */
