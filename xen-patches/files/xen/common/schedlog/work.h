/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up the time that Xen works for accounting domains, by reason:
 * hypercalls, exits, interrupts, softirqs, waits for flushes.
 *
 * Work nests: an interrupt comes during a hypercall.  An instant is charged to
 * the innermost work alone, so that sums of different work can be added.  What
 * ends is added to a cell, one per accounting domain and reason; nothing is
 * logged then.
 *
 * Work of one run interval of a vCPU is not ended by another one: when Xen
 * switches vCPUs it leaves the stack, and does not return to the work.
 *
 * Knows nothing of Xen, so that it is tested in user space.  All of it is for
 * the pCPU of its own, with interrupts disabled.
 */
#ifndef SCHEDLOG_WORK_H
#define SCHEDLOG_WORK_H

#ifdef __XEN__
#include <xen/schedlog-record.h>
#else
#include "schedlog-record.h"
#endif

/* Work inside of work.  More means that some did not end: all is forgotten. */
#define SCHEDLOG_WORK_LEVELS 8U

/* Accounting domains times reasons on a pCPU in a tick: a power of two. */
#define SCHEDLOG_WORK_CELLS 256U

/* Cells are logged before there are more. */
#define SCHEDLOG_WORK_MANY (SCHEDLOG_WORK_CELLS * 3 / 4)

struct schedlog_work_level {
    uint64_t since; /* TSC, less the ticks that were charged before */
    uint16_t what;
};

struct schedlog_work_cell {
    uint64_t ticks;
    uint32_t count; /* 0: the cell is free. */
    uint16_t what, acct;
};

struct schedlog_work {
    uint64_t charged;    /* ticks of all work that has ended */
    int64_t run;         /* The run interval that the levels belong to. */
    unsigned int depth;
    unsigned int used;   /* cells, at least */
    struct schedlog_work_level level[SCHEDLOG_WORK_LEVELS];
    struct schedlog_work_cell cell[SCHEDLOG_WORK_CELLS];
};

/* Event and reason as one number. */
static inline uint16_t schedlog_work_what(unsigned int event,
                                          unsigned int reason)
{
    if ( reason > XEN_SCHEDLOG_WORK_OTHER )
        reason = XEN_SCHEDLOG_WORK_OTHER;

    return (event << XEN_SCHEDLOG_WORK_REASON_BITS) | reason;
}

static inline unsigned int schedlog_work_event(uint16_t what)
{
    return what >> XEN_SCHEDLOG_WORK_REASON_BITS;
}

/* Work begins, in the run interval @run of a vCPU. */
static inline void schedlog_work_begin(struct schedlog_work *work,
                                       uint16_t what, int64_t run,
                                       uint64_t tsc)
{
    if ( work->run != run )
    {
        work->run = run;
        work->depth = 0;
    }

    if ( work->depth == SCHEDLOG_WORK_LEVELS )
        work->depth = 0;

    work->level[work->depth++] =
        (struct schedlog_work_level){ tsc - work->charged, what };
}

/* NULL: there is none. */
static inline struct schedlog_work_cell *schedlog_work_cell(
    struct schedlog_work *work, uint16_t what, uint16_t acct)
{
    unsigned int i = ((what ^ ((uint32_t)acct << 16)) * 0x9e3779b1U) >> 16, nr;

    for ( nr = 0; nr < SCHEDLOG_WORK_CELLS; nr++, i++ )
    {
        struct schedlog_work_cell *cell =
            &work->cell[i % SCHEDLOG_WORK_CELLS];

        if ( cell->count && cell->what == what && cell->acct == acct )
            return cell;
        if ( cell->count )
            continue;

        *cell = (struct schedlog_work_cell){ .what = what, .acct = acct };
        work->used++;
        return cell;
    }

    return NULL;
}

/* The level of the innermost work of @event, or -1. */
static inline int schedlog_work_find(const struct schedlog_work *work,
                                     unsigned int event)
{
    int i = work->depth - 1;

    while ( i >= 0 && schedlog_work_event(work->level[i].what) != event )
        i--;

    return i;
}

/*
 * The innermost work of @event ends, and what was inside of it and has not
 * ended.  Work that began in another run interval, or while its event was off,
 * is not found.
 */
static inline void schedlog_work_end(struct schedlog_work *work,
                                     unsigned int event, uint16_t acct,
                                     int64_t run, uint64_t tsc)
{
    struct schedlog_work_cell *cell;
    uint64_t ticks;
    int i;

    if ( work->run != run )
        return;

    i = schedlog_work_find(work, event);
    if ( i < 0 )
        return;

    ticks = tsc - work->charged - work->level[i].since;
    work->charged += ticks;
    work->depth = i;

    cell = schedlog_work_cell(work, work->level[i].what, acct);
    if ( !cell )
        return;

    cell->ticks += ticks;
    cell->count++;
}

/* Empty a cell, whose contents are returned. */
static inline struct schedlog_work_cell schedlog_work_take(
    struct schedlog_work *work, struct schedlog_work_cell *cell)
{
    struct schedlog_work_cell taken = *cell;

    if ( taken.count )
    {
        cell->count = 0;
        work->used--;
    }

    return taken;
}

/* The counter of the row of a cell that had @ns. */
static inline uint64_t schedlog_work_counter(
    const struct schedlog_work_cell *cell, uint64_t ns)
{
    const uint64_t reason = cell->what & XEN_SCHEDLOG_WORK_OTHER;
    const uint64_t count = cell->count < XEN_SCHEDLOG_WORK_COUNT_MASK
                           ? cell->count : XEN_SCHEDLOG_WORK_COUNT_MASK;

    return (reason << XEN_SCHEDLOG_WORK_REASON_SHIFT) |
           (count << XEN_SCHEDLOG_WORK_COUNT_SHIFT) |
           (ns < XEN_SCHEDLOG_WORK_TIME_MASK ? ns
                                             : XEN_SCHEDLOG_WORK_TIME_MASK);
}

#endif /* SCHEDLOG_WORK_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
