/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * row.h - what the bytes of a log file mean.
 *
 * A log control register (XEN_SCHEDLOG_LCR_* of <xen/schedlog.h>) says which
 * entries a row has.  xensched_layout() turns it into sizes and offsets, and
 * xensched_row_decode() turns one row into numbers.  Both are pure functions
 * and accept any bit pattern.  xensched_rows_decode() does the latter for many
 * rows at once, several times as fast.
 */
#ifndef XENSCHED_ROW_H
#define XENSCHED_ROW_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/abi.h>

/* Offset of an entry which is not in the row. */
#define XENSCHED_NO_ENTRY 0xffU

/*
 * Layout of the rows of a log file.  @size is the distance between two rows
 * in bytes, a power of two up to XEN_SCHEDLOG_MAX_ROW_SIZE, or 0: with such a
 * register nothing is written, and no entry is present.
 */
struct xensched_layout {
    uint32_t lcr; /* as it was given */
    uint8_t size;
    uint8_t event;         /* offset of a uint16_t */
    uint8_t current;       /* offset of a uint16_t */
    uint8_t correspondent; /* offset of a uint16_t */
    uint8_t counter;       /* offset of an integer of counter_size bytes */
    uint8_t counter_size;  /* 4 or 8; 0 when there is none */
    uint8_t time;          /* offset of an integer of time_size bytes */
    uint8_t time_size;     /* 4 or 8; 0 when there is none */
};

/* Never fails: bits which the ABI does not define are ignored. */
void xensched_layout(uint32_t lcr, struct xensched_layout *layout);

/* Bits of struct xensched_row.valid */
#define XENSCHED_ROW_EVENT         (1U << 0)
#define XENSCHED_ROW_CURRENT       (1U << 1)
#define XENSCHED_ROW_CORRESPONDENT (1U << 2)
#define XENSCHED_ROW_COUNTER       (1U << 3)
#define XENSCHED_ROW_TIME          (1U << 4)

/*
 * One row.  A member is 0 unless its bit in @valid is set.  @cpu is always
 * valid.  @time is what the register selected, see xensched_row_tsc().
 */
struct xensched_row {
    uint64_t counter;
    uint64_t time;
    uint32_t cpu; /* pCPU id, which the log file belongs to */
    uint16_t event;
    uint16_t current;       /* accounting domain */
    uint16_t correspondent; /* accounting domain */
    uint16_t valid;
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
