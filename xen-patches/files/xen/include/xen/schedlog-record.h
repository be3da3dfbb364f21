/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record handler: turn one event into one row of a log file.
 *
 * This is the part of the log facility which runs for each event.  It is all
 * there is between a site and a row: no lock, no function pointer, no
 * division, no memory which another CPU writes (but for the words with which
 * the scheduler controls it).  It knows nothing of domains, areas or
 * hypercalls, so that other producers (and user space tests) compile the very
 * same code.
 *
 * Rules for callers:
 *
 * - Events of one CPU must not nest: never call it from hard interrupt, NMI or
 *   #MC context.  In Xen, which doesn't preempt itself, this is all it takes.
 * - struct schedlog_cpu and struct schedlog_file are private to the producer.
 *   Only what their ->lcr, ->route and ->state point to is shared.
 *
 * What the scheduler can write (lcr[], route[]) is read exactly once per
 * event, into a local variable, and is masked before it is used as an index.
 * What it can only read (struct xen_schedlog_state, the rows) is never read
 * back, except for the counter of a row with ADD, which is only added to.
 *
 * See public/schedlog.h for the contract with the reader.
 */
#ifndef XEN_SCHEDLOG_RECORD_H
#define XEN_SCHEDLOG_RECORD_H

#ifdef __XEN__
#include <xen/compiler.h>
#include <xen/lib.h>
#include <xen/types.h>
#include <asm/msr.h>
#include <asm/system.h>
#include <public/schedlog.h>

#define schedlog_tsc() rdtsc()
#else
/*
 * The environment has to supply the C types, ACCESS_ONCE(), smp_wmb(),
 * always_inline, likely(), unlikely(), schedlog_tsc() and the public header.
 */
#include "schedlog-env.h"
#endif

/* A log file of one CPU. */
struct schedlog_file {
    uint8_t *data;
    uint64_t pos;           /* As in struct xen_schedlog_state. */
    uint32_t mask;          /* Size in bytes - 1. */
    uint32_t lcr;           /* The register which the layout was made from. */
    uint8_t row_size;       /* 0: nothing is to be written. */
    uint8_t counter_offset;
    uint8_t time_offset;
    uint8_t tsc_shift;
    uint32_t layout_seq;
    struct xen_schedlog_state *state;
};

/* What the handler needs to know of a CPU. */
struct schedlog_cpu {
    const uint32_t *lcr;    /* Shared: [file_mask + 1] */
    const uint64_t *route;  /* Shared: [acct_mask + 1][NR_EVENTS] */
    uint32_t *skipped;      /* [acct_mask + 1][NR_EVENTS], for thresholds. */
    uint32_t acct_mask;
    uint32_t file_mask;
    uint64_t virtual_time;
    struct schedlog_file file[];
};

/* Out of line: a log control register changed. */
void schedlog_set_layout(struct schedlog_file *file, uint32_t lcr);

/* Get a CPU's log file into its initial state: register 0, nothing written. */
void schedlog_init_file(struct schedlog_file *file, void *data, uint32_t size,
                        struct xen_schedlog_state *state);

static always_inline void schedlog_write_ids(uint8_t *row, uint32_t lcr,
                                             uint16_t event, uint16_t current_,
                                             uint16_t correspondent)
{
    const uint32_t all = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                         XEN_SCHEDLOG_LCR_CORRESPONDENT;
    uint16_t *id = (uint16_t *)row;

    /* All three is the common case, and such a row has at least 8 bytes. */
    if ( likely((lcr & all) == all) )
    {
        *(uint64_t *)row = event | ((uint32_t)current_ << 16) |
                           ((uint64_t)correspondent << 32);
        return;
    }

    if ( lcr & XEN_SCHEDLOG_LCR_EVENT )
        *id++ = event;
    if ( lcr & XEN_SCHEDLOG_LCR_CURRENT )
        *id++ = current_;
    if ( lcr & XEN_SCHEDLOG_LCR_CORRESPONDENT )
        *id = correspondent;
}

static always_inline void schedlog_write_counter(void *counter, uint32_t lcr,
                                                 uint64_t count)
{
    if ( lcr & XEN_SCHEDLOG_LCR_COUNTER64 )
    {
        uint64_t *c = counter;

        *c = (lcr & XEN_SCHEDLOG_LCR_ADD) ? *c + count : count;
    }
    else
    {
        uint32_t *c = counter;

        if ( lcr & XEN_SCHEDLOG_LCR_ADD )
            count += *c;
        *c = count < UINT32_MAX ? count : UINT32_MAX;
    }
}

static always_inline void schedlog_write_time(struct schedlog_cpu *cpu,
                                              const struct schedlog_file *file,
                                              void *time, uint32_t lcr)
{
    uint64_t now;

    if ( (lcr & XEN_SCHEDLOG_LCR_TIME_MASK) == XEN_SCHEDLOG_LCR_TIME_TSC )
        now = schedlog_tsc() >> file->tsc_shift;
    else
        now = cpu->virtual_time++;

    if ( lcr & XEN_SCHEDLOG_LCR_TIME64 )
        *(uint64_t *)time = now;
    else
        *(uint32_t *)time = now;
}

/* Both sources which there are have this bit set: VIRTUAL is 1, TSC is 3. */
static always_inline bool schedlog_has_time(uint32_t lcr)
{
    return lcr & XEN_SCHEDLOG_LCR_TIME_VIRTUAL;
}

/*
 * An event happened.  @current_ and @correspondent are accounting domains,
 * @correspondent may be XEN_SCHEDLOG_ACCT_NONE.
 */
static always_inline void schedlog_record(struct schedlog_cpu *cpu,
                                          enum xen_schedlog_event event,
                                          uint16_t current_,
                                          uint16_t correspondent,
                                          uint64_t count)
{
    struct schedlog_file *file;
    unsigned int i, nr;
    uint64_t route;
    uint32_t lcr, threshold;
    uint8_t *row;

    /* What stays inside of an accounting domain is of no interest. */
    if ( current_ == correspondent )
        return;

    i = (current_ & cpu->acct_mask) * XEN_SCHEDLOG_NR_EVENTS + event;
    route = ACCESS_ONCE(cpu->route[i]);
    if ( !(route & XEN_SCHEDLOG_ROUTE_VALID) )
        return;

    threshold = route;
    if ( threshold > 1 )
    {
        if ( ++cpu->skipped[i] < threshold )
            return;
        cpu->skipped[i] = 0;
    }

    nr = (route >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT) & cpu->file_mask;
    file = &cpu->file[nr];
    lcr = ACCESS_ONCE(cpu->lcr[nr]);
    if ( unlikely(lcr != file->lcr) )
        schedlog_set_layout(file, lcr);
    if ( !file->row_size )
        return;

    row = file->data + (file->pos & file->mask);
    schedlog_write_ids(row, lcr, event, current_, correspondent);
    if ( lcr & XEN_SCHEDLOG_LCR_COUNTER )
        schedlog_write_counter(row + file->counter_offset, lcr, count);
    if ( schedlog_has_time(lcr) )
        schedlog_write_time(cpu, file, row + file->time_offset, lcr);

    file->pos += file->row_size;
    /* The row must be there before the position says that it is. */
    smp_wmb();
    ACCESS_ONCE(file->state->pos) = file->pos;
    /* And readers allow for one row that is being written, not for two. */
    smp_wmb();
}

#endif /* XEN_SCHEDLOG_RECORD_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
