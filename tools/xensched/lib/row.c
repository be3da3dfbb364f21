/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * row.c - log control register to layout, bytes to row; see row.h.
 *
 * This is the reader's own reading of the ABI header, on purpose not shared
 * with the producer: where the two differ, the reader finds out (reader.c
 * compares the sizes) instead of both being wrong in the same way.
 */
#include <stdbool.h>
#include <string.h>

#include <xensched/row.h>

/* Put an entry of @size bytes behind what is there, at natural alignment. */
static uint8_t place(unsigned int *end, unsigned int size)
{
    unsigned int offset = (*end + size - 1) & ~(size - 1);

    *end = offset + size;

    return offset;
}

static bool has_time(uint32_t lcr)
{
    return (lcr & XEN_SCHEDLOG_LCR_TIME_MASK) != XEN_SCHEDLOG_LCR_TIME_NONE;
}

static unsigned int padded_size(uint32_t lcr, unsigned int end)
{
    unsigned int pad = (lcr & XEN_SCHEDLOG_LCR_PAD_MASK) >>
                       XEN_SCHEDLOG_LCR_PAD_SHIFT;
    unsigned int size = 1U << (pad > 6 ? 6 : pad);

    while (size < end)
        size <<= 1;

    return size;
}

void xensched_layout(uint32_t lcr, struct xensched_layout *layout)
{
    unsigned int end = 0;

    memset(layout, 0, sizeof(*layout));
    layout->lcr = lcr;
    layout->event = layout->current = layout->correspondent =
        layout->counter = layout->time = XENSCHED_NO_ENTRY;

    if (lcr & XEN_SCHEDLOG_LCR_EVENT)
        layout->event = place(&end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_CURRENT)
        layout->current = place(&end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT)
        layout->correspondent = place(&end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_COUNTER) {
        layout->counter_size = lcr & XEN_SCHEDLOG_LCR_COUNTER64 ? 8 : 4;
        layout->counter = place(&end, layout->counter_size);
    }
    if (has_time(lcr)) {
        layout->time_size = lcr & XEN_SCHEDLOG_LCR_TIME64 ? 8 : 4;
        layout->time = place(&end, layout->time_size);
    }

    if (end)
        layout->size = padded_size(lcr, end);
}

static uint16_t get16(const uint8_t *bytes)
{
    uint16_t value;

    memcpy(&value, bytes, sizeof(value));

    return value;
}

static uint64_t get32_or_64(const uint8_t *bytes, unsigned int size)
{
    uint32_t value32;
    uint64_t value64;

    if (size == 8) {
        memcpy(&value64, bytes, sizeof(value64));
        return value64;
    }
    memcpy(&value32, bytes, sizeof(value32));

    return value32;
}

void xensched_row_decode(const struct xensched_layout *layout, uint32_t cpu,
                         const void *bytes, struct xensched_row *row)
{
    const uint8_t *at = bytes;

    memset(row, 0, sizeof(*row));
    row->cpu = cpu;

    if (layout->event != XENSCHED_NO_ENTRY) {
        row->event = get16(at + layout->event);
        row->valid |= XENSCHED_ROW_EVENT;
    }
    if (layout->current != XENSCHED_NO_ENTRY) {
        row->current = get16(at + layout->current);
        row->valid |= XENSCHED_ROW_CURRENT;
    }
    if (layout->correspondent != XENSCHED_NO_ENTRY) {
        row->correspondent = get16(at + layout->correspondent);
        row->valid |= XENSCHED_ROW_CORRESPONDENT;
    }
    if (layout->counter_size) {
        row->counter = get32_or_64(at + layout->counter,
                                   layout->counter_size);
        row->valid |= XENSCHED_ROW_COUNTER;
    }
    if (layout->time_size) {
        row->time = get32_or_64(at + layout->time, layout->time_size);
        row->valid |= XENSCHED_ROW_TIME;
    }
}

int xensched_layout_tsc_shift(const struct xensched_layout *layout)
{
    uint32_t lcr = layout->lcr;

    if (!layout->time_size ||
        (lcr & XEN_SCHEDLOG_LCR_TIME_MASK) != XEN_SCHEDLOG_LCR_TIME_TSC)
        return -1;

    return (lcr & XEN_SCHEDLOG_LCR_TSC_MASK) >> XEN_SCHEDLOG_LCR_TSC_SHIFT;
}
