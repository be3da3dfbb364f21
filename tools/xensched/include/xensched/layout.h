/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * layout.h - the size of a row, and the offsets of its entries, that a log control register
 * (XEN_SCHEDLOG_LCR_* of <xen/schedlog.h>) selects.
 *
 * The reader interprets the register independently of the producer's code: if the two differ, the
 * reader detects it (log-state.h compares the sizes), whereas common code would hide the mistake.
 */
#ifndef XENSCHED_LAYOUT_H
#define XENSCHED_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <xensched/abi.h>

/* Offset of an entry that is not in the row. */
#define XENSCHED_NO_ENTRY 0xffU

/*
 * Layout of the rows of a log buffer.  @size is the distance between two rows in bytes, a power of
 * two up to XEN_SCHEDLOG_MAX_ROW_SIZE; 0: with this register nothing is written, and no entry is
 * present.
 */
struct xensched_layout {
    uint32_t lcr; /* the register */
    uint8_t size;
    uint8_t event;         /* offset of a uint16_t; see xensched_has_reason() */
    uint8_t current;       /* offset of a uint16_t */
    uint8_t correspondent; /* offset of a uint16_t */
    uint8_t counter;       /* offset of an integer of counter_size bytes */
    uint8_t counter_size;  /* 4 or 8; 0: no counter */
    uint8_t time;          /* offset of an integer of time_size bytes */
    uint8_t time_size;     /* 4 or 8; 0: no time */
};

/* Appends an entry of @size bytes, at its natural alignment. */
static inline uint8_t xensched_place_entry(unsigned int *end, unsigned int size)
{
    unsigned int offset = (*end + size - 1) & ~(size - 1);

    *end = offset + size;

    return offset;
}

/* Is the upper byte of the event's entry the reason of the row? */
static inline bool xensched_has_reason(const struct xensched_layout *layout)
{
    return layout->event != XENSCHED_NO_ENTRY &&
           layout->lcr & XEN_SCHEDLOG_LCR_REASON;
}

static inline bool xensched_has_time(uint32_t lcr)
{
    return (lcr & XEN_SCHEDLOG_LCR_TIME_MASK) != XEN_SCHEDLOG_LCR_TIME_NONE;
}

static inline unsigned int xensched_padded_size(uint32_t lcr, unsigned int end)
{
    unsigned int pad = (lcr & XEN_SCHEDLOG_LCR_PAD_MASK) >>
                       XEN_SCHEDLOG_LCR_PAD_SHIFT;
    unsigned int size = 1U << (pad > 6 ? 6 : pad);

    while (size < end)
        size <<= 1;

    return size;
}

/* Never fails: ignores bits that the ABI does not define. */
static inline void xensched_layout(uint32_t lcr, struct xensched_layout *layout)
{
    unsigned int end = 0;

    memset(layout, 0, sizeof(*layout));
    layout->lcr = lcr;
    layout->event = layout->current = layout->correspondent =
        layout->counter = layout->time = XENSCHED_NO_ENTRY;

    if (lcr & XEN_SCHEDLOG_LCR_EVENT)
        layout->event = xensched_place_entry(&end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_CURRENT)
        layout->current = xensched_place_entry(&end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT)
        layout->correspondent = xensched_place_entry(&end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_COUNTER) {
        layout->counter_size = lcr & XEN_SCHEDLOG_LCR_COUNTER64 ? 8 : 4;
        layout->counter = xensched_place_entry(&end, layout->counter_size);
    }
    if (xensched_has_time(lcr)) {
        layout->time_size = lcr & XEN_SCHEDLOG_LCR_TIME64 ? 8 : 4;
        layout->time = xensched_place_entry(&end, layout->time_size);
    }

    if (end)
        layout->size = xensched_padded_size(lcr, end);
}

#endif /* XENSCHED_LAYOUT_H */
