/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * row.h - what the bytes of a log file mean.
 *
 * xensched_row_decode() turns a row of a layout (see layout.h) into numbers, a
 * pure function which accepts any bit pattern.  xensched_rows_decode() does it
 * for many rows at once, several times as fast.
 */
#ifndef XENSCHED_ROW_H
#define XENSCHED_ROW_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/layout.h>

/* Bits of struct xensched_row.valid */
#define XENSCHED_ROW_EVENT         (1U << 0)
#define XENSCHED_ROW_CURRENT       (1U << 1)
#define XENSCHED_ROW_CORRESPONDENT (1U << 2)
#define XENSCHED_ROW_COUNTER       (1U << 3)
#define XENSCHED_ROW_TIME          (1U << 4)
#define XENSCHED_ROW_REASON        (1U << 5)

/*
 * One row.  A member is 0 unless its bit in @valid is set.  @cpu is always
 * valid.  @time is what the register selected, see
 * xensched_layout_tsc_shift().
 */
struct xensched_row {
    uint64_t counter;
    uint64_t time;
    uint32_t cpu; /* pCPU id, which the log file belongs to */
    uint16_t event;
    uint16_t current;       /* accounting domain */
    uint16_t correspondent; /* accounting domain */
    uint16_t valid;
    uint16_t reason;        /* XEN_SCHEDLOG_REASON_* */
};

/*
 * Decode the row at @bytes, which has @layout->size bytes and need not be
 * aligned.  With a layout of size 0 nothing is read and nothing is valid.
 */
void xensched_row_decode(const struct xensched_layout *layout, uint32_t cpu,
                         const void *bytes, struct xensched_row *row);

/*
 * The same for @nr rows which lie one after the other.  Fastest when @rows is
 * aligned to 32 bytes.
 */
void xensched_rows_decode(const struct xensched_layout *layout, uint32_t cpu,
                          const void *bytes, size_t nr,
                          struct xensched_row *rows);

/*
 * What one unit of @row->time is in TSC cycles, as a shift: TSC cycles are
 * time << shift (modulo 2^32 << shift for a 32-bit entry).  -1 when the rows
 * of this layout have no TSC time stamp.
 */
int xensched_layout_tsc_shift(const struct xensched_layout *layout);

#endif /* XENSCHED_ROW_H */
