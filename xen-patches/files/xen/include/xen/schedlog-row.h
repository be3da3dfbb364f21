/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes rows: the half of the record handler that knows neither routes nor
 * thresholds.  See xen/schedlog-record.h for the rules of both halves, and
 * public/schedlog.h for the contract with the reader.
 */
#ifndef XEN_SCHEDLOG_ROW_H
#define XEN_SCHEDLOG_ROW_H

#ifdef __XEN__
#include <xen/compiler.h>
#include <xen/lib.h>
#include <xen/types.h>
#include <asm/schedlog.h>
#include <asm/system.h>
#include <public/schedlog.h>
#else
/*
 * The environment has to supply the C types, ACCESS_ONCE(), smp_wmb(),
 * always_inline, likely(), unlikely(), schedlog_tsc() and the public header.
 */
#include "schedlog-env.h"
#endif

/* A log buffer of one CPU.  64 bytes: a shift turns an index into one. */
struct schedlog_file {
    uint8_t *data;
    uint64_t pos;           /* As in struct xen_schedlog_state. */
    struct xen_schedlog_state *state;
    uint32_t mask;          /* Size in bytes - 1. */
    uint32_t lcr;           /* Its register when the layout was last set. */
    uint8_t row_size;       /* 0: nothing is to be written. */
    uint8_t counter_offset;
    uint8_t time_offset;
    uint8_t tsc_shift;
    uint32_t layout_seq;
    bool plain;             /* Rows are struct schedlog_plain_row. */
    uint64_t pad[2];
};

/*
 * The layout of nearly all rows: all three numbers, a counter that is not added
 * to, and the TSC.  Nothing of it has to be looked up.
 */
struct schedlog_plain_row {
    uint64_t ids;
    uint32_t counter;
    uint32_t tsc;
};

/* What the handler needs to know of a CPU. */
struct schedlog_cpu {
    const uint32_t *lcr;    /* Shared: [file_mask + 1] */
    const uint64_t *route;  /* Shared: [acct_mask + 1][NR_EVENTS] */
    uint32_t *skipped;      /* [acct_mask + 1][NR_EVENTS], for thresholds. */
    uint32_t acct_mask;
    uint32_t file_mask;
    uint64_t virtual_time;
    uint64_t tick;          /* For TIME_TICK; the producer keeps it. */
    struct schedlog_file file[];
};

/*
 * Out of line: the log control register changed.  Work out the new layout,
 * then append the event's row.
 */
void schedlog_write_first_row(struct schedlog_cpu *cpu,
                              struct schedlog_file *file, uint32_t lcr,
                              uint64_t ids, uint64_t count);

/* Its first half, alone. */
void schedlog_set_layout(struct schedlog_file *file, uint32_t lcr);

/* Get a CPU's log buffer into its initial state: register 0, no row written. */
void schedlog_init_file(struct schedlog_file *file, void *data, uint32_t size,
                        struct xen_schedlog_state *state);

static always_inline void schedlog_write_ids(uint8_t *row, uint32_t lcr,
                                             uint64_t ids)
{
    const uint32_t all = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                         XEN_SCHEDLOG_LCR_CORRESPONDENT;
    const uint32_t selected = lcr & all;
    uint16_t *id = (uint16_t *)row;

    /* All of them is what most rows have, none is what counting needs. */
    if ( selected == all )
        *(uint64_t *)row = ids; /* Such a row has at least 8 bytes. */
    else if ( selected )
    {
        if ( selected & XEN_SCHEDLOG_LCR_EVENT )
            *id++ = ids;
        if ( selected & XEN_SCHEDLOG_LCR_CURRENT )
            *id++ = ids >> 16;
        if ( selected & XEN_SCHEDLOG_LCR_CORRESPONDENT )
            *id = ids >> 32;
    }
}

/* Counters saturate. */
static always_inline void schedlog_write_counter64(uint64_t *counter,
                                                   uint32_t lcr,
                                                   uint64_t count)
{
    uint64_t sum = count;

    if ( lcr & XEN_SCHEDLOG_LCR_ADD )
        sum += *counter;
    *counter = likely(sum >= count) ? sum : ~0ULL;
}

static always_inline void schedlog_write_counter32(uint32_t *counter,
                                                   uint32_t lcr,
                                                   uint64_t count)
{
    const uint32_t amount = count < UINT32_MAX ? count : UINT32_MAX;
    uint32_t sum = amount;

    if ( lcr & XEN_SCHEDLOG_LCR_ADD )
        sum += *counter;
    *counter = likely(sum >= amount) ? sum : UINT32_MAX;
}

static always_inline void schedlog_write_time(struct schedlog_cpu *cpu,
                                              unsigned int tsc_shift,
                                              void *time, uint32_t lcr)
{
    const uint32_t source = lcr & XEN_SCHEDLOG_LCR_TIME_MASK;
    uint64_t now;

    if ( likely(source == XEN_SCHEDLOG_LCR_TIME_TSC) )
        now = schedlog_tsc() >> tsc_shift;
    else if ( source == XEN_SCHEDLOG_LCR_TIME_TICK )
        now = cpu->tick;
    else
        now = cpu->virtual_time++;

    if ( lcr & XEN_SCHEDLOG_LCR_TIME64 )
        *(uint64_t *)time = now;
    else
        *(uint32_t *)time = now;
}

static always_inline bool schedlog_has_time(uint32_t lcr)
{
    return (lcr & XEN_SCHEDLOG_LCR_TIME_MASK) != XEN_SCHEDLOG_LCR_TIME_NONE;
}

/* The row at @pos must be complete before the position includes it. */
static always_inline void schedlog_publish(struct xen_schedlog_state *state,
                                           uint64_t pos)
{
    smp_wmb();
    ACCESS_ONCE(state->pos) = pos;
    /* And readers allow for one row that is being written, not for two. */
    smp_wmb();
}

/* Append a row to @file, whose layout is that of @lcr. */
static always_inline void schedlog_write_row(struct schedlog_cpu *cpu,
                                             struct schedlog_file *file,
                                             uint32_t lcr, uint64_t ids,
                                             uint64_t count)
{
    /* Known before the row is written, which might alias anything. */
    struct xen_schedlog_state *state = file->state;
    uint64_t pos = file->pos;
    uint8_t *row = file->data + (pos & file->mask);

    if ( unlikely(!file->row_size) )
        return;

    pos += file->row_size;
    file->pos = pos;

    schedlog_write_ids(row, lcr, ids);
    if ( likely(lcr & XEN_SCHEDLOG_LCR_COUNTER) )
    {
        void *counter = row + file->counter_offset;

        if ( unlikely(lcr & XEN_SCHEDLOG_LCR_COUNTER64) )
            schedlog_write_counter64(counter, lcr, count);
        else
            schedlog_write_counter32(counter, lcr, count);
    }
    if ( schedlog_has_time(lcr) )
        schedlog_write_time(cpu, file->tsc_shift, row + file->time_offset,
                            lcr);

    schedlog_publish(state, pos);
}

#endif /* XEN_SCHEDLOG_ROW_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
