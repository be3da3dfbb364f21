/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes one row. */
#include <string.h>

#include <xensched/row.h>

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
    if (xensched_has_reason(layout)) {
        row->reason = row->event >> XEN_SCHEDLOG_REASON_SHIFT;
        row->event &= (1U << XEN_SCHEDLOG_REASON_SHIFT) - 1;
        row->valid |= XENSCHED_ROW_REASON;
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
