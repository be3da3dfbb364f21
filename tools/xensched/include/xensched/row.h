/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * row.h - decodes rows.
 *
 * xensched_row_decode() turns a row of a layout (layout.h) into numbers; it is a pure function
 * that accepts any bit pattern.  xensched_rows_decode() decodes many rows at once, several times
 * as fast.
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
 * One row.  A member is 0 unless its bit in @valid is set.  @cpu is always valid.  @time has the
 * form that the register selected, see xensched_layout_tsc_shift().
 */
struct xensched_row {
    uint64_t counter;
    uint64_t time;
    uint32_t cpu; /* the pCPU of the log buffer */
    uint16_t event;
    uint16_t current;       /* accounting domain */
    uint16_t correspondent; /* accounting domain */
    uint16_t valid;
    uint16_t reason;        /* XEN_SCHEDLOG_REASON_* */
};

/*
 * Decodes the row at @bytes, which has @layout->size bytes and need not be aligned.  With a layout
 * of size 0 it reads nothing and no member is valid.
 */
void xensched_row_decode(const struct xensched_layout *layout, uint32_t cpu,
                         const void *bytes, struct xensched_row *row);

/*
 * Decodes @nr consecutive rows.  It is fastest if @rows is aligned to 32 bytes.
 */
void xensched_rows_decode(const struct xensched_layout *layout, uint32_t cpu,
                          const void *bytes, size_t nr,
                          struct xensched_row *rows);

/*
 * The shift that converts @row->time to TSC cycles: cycles are time << shift (modulo 2^32 << shift
 * for a 32-bit entry).  Returns -1 if rows of this layout have no TSC time stamp.
 */
int xensched_layout_tsc_shift(const struct xensched_layout *layout);

#endif /* XENSCHED_ROW_H */
