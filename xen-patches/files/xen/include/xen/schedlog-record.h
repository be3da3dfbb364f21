/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record handler: turn one event into one row of a log buffer.
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
 *   #MC context.  Xen doesn't preempt itself, so nothing else can nest.
 * - struct schedlog_cpu and struct schedlog_file are private to the producer.
 *   Only what their ->lcr, ->route and ->state point to is shared.
 *
 * What the scheduler can write (lcr[], route[]) is read at most once per call,
 * into a local variable, and is masked before it is used as an index.
 * What it can only read (struct xen_schedlog_state, the rows) is never read
 * back, except for the counter of a row with ADD, which is only added to.
 *
 * See public/schedlog.h for the contract with the reader.
 */
#ifndef XEN_SCHEDLOG_RECORD_H
#define XEN_SCHEDLOG_RECORD_H

#ifdef __XEN__
#include <xen/schedlog-row.h>
#else
#include "schedlog-row.h"
#endif

/* The three numbers of an event, as they are in a row which has all three. */
static always_inline uint64_t schedlog_ids(unsigned int event,
                                           uint16_t current_,
                                           uint16_t correspondent)
{
    return event | ((uint32_t)current_ << 16) |
           ((uint64_t)correspondent << 32);
}

/* Where the route and the threshold's counter of an event are. */
static always_inline unsigned int schedlog_slot(const struct schedlog_cpu *cpu,
                                                unsigned int event,
                                                uint16_t acct)
{
    return (acct & cpu->acct_mask) * XEN_SCHEDLOG_NR_EVENTS + event;
}

/* Is this the threshold-th event since the last one that passed? */
static always_inline bool schedlog_passes(uint32_t *skipped, uint64_t route)
{
    const uint32_t threshold = route;
    uint32_t nr;

    if ( likely(threshold <= 1) )
        return true;

    nr = *skipped + 1;
    if ( nr < threshold )
    {
        *skipped = nr;
        return false;
    }
    *skipped = 0;

    return true;
}

/* As schedlog_write_row() would, in a third of the instructions. */
static always_inline void schedlog_write_plain_row(struct schedlog_file *file,
                                                   uint64_t ids,
                                                   uint64_t count)
{
    struct xen_schedlog_state *state = file->state;
    uint64_t pos = file->pos;
    struct schedlog_plain_row *row = (void *)(file->data + (pos & file->mask));

    pos += sizeof(*row);
    file->pos = pos;

    row->ids = ids;
    row->counter = count < UINT32_MAX ? count : UINT32_MAX;
    row->tsc = schedlog_tsc() >> file->tsc_shift;

    schedlog_publish(state, pos);
}

/*
 * Append a row to the log buffer which @route selects.  Returns false, and
 * writes none, if @reason says that only readers of reasons understand the
 * row, and the log buffer has no reasons.
 */
static always_inline bool schedlog_write(struct schedlog_cpu *cpu,
                                         uint64_t route, uint64_t ids,
                                         unsigned int reason, uint64_t count)
{
    const unsigned int nr = (route >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT) &
                            cpu->file_mask;
    const uint32_t lcr = ACCESS_ONCE(cpu->lcr[nr]);
    struct schedlog_file *file = &cpu->file[nr];

    if ( likely(lcr & XEN_SCHEDLOG_LCR_REASON) )
        ids |= reason << XEN_SCHEDLOG_REASON_SHIFT;
    else if ( reason & XEN_SCHEDLOG_REASON_CUT )
        return false;

    if ( unlikely(lcr != file->lcr) )
        schedlog_write_first_row(cpu, file, lcr, ids, count);
    else if ( likely(file->plain) )
        schedlog_write_plain_row(file, ids, count);
    else
        schedlog_write_row(cpu, file, lcr, ids, count);

    return true;
}

/*
 * An event happened.  @current_ and @correspondent are accounting domains,
 * @correspondent may be XEN_SCHEDLOG_ACCT_NONE.
 */
static always_inline void schedlog_record(struct schedlog_cpu *cpu,
                                          unsigned int event,
                                          uint16_t current_,
                                          uint16_t correspondent,
                                          uint64_t count)
{
    unsigned int i;
    uint64_t route;

    /* What stays inside of an accounting domain is of no interest. */
    if ( current_ == correspondent )
        return;

    i = schedlog_slot(cpu, event, current_);
    route = ACCESS_ONCE(cpu->route[i]);
    if ( (route & XEN_SCHEDLOG_ROUTE_VALID) &&
         schedlog_passes(&cpu->skipped[i], route) )
        schedlog_write(cpu, route,
                       schedlog_ids(event, current_, correspondent), 0, count);
}

/*
 * Events of the kind "exit" have two halves.  What was used of a resource is
 * logged when the accounting domain leaves it, but whether it is worth being
 * measured is decided when the domain enters: the threshold counts stays.
 *
 * @acct enters.  Returns whether the producer is to call schedlog_leave() at
 * the end of this stay.
 */
static always_inline bool schedlog_enter(struct schedlog_cpu *cpu,
                                         unsigned int event,
                                         uint16_t acct)
{
    const unsigned int i = schedlog_slot(cpu, event, acct);
    const uint64_t route = ACCESS_ONCE(cpu->route[i]);

    return (route & XEN_SCHEDLOG_ROUTE_VALID) &&
           schedlog_passes(&cpu->skipped[i], route);
}

/*
 * @current_ leaves, after a stay for which schedlog_enter() returned true, and
 * @correspondent, another one or XEN_SCHEDLOG_ACCT_NONE, takes over.  Where
 * the row goes is decided by the present route.  @reason is one of
 * XEN_SCHEDLOG_REASON_*.  Returns whether there is a row.
 */
static always_inline bool schedlog_leave_for(struct schedlog_cpu *cpu,
                                             unsigned int event,
                                             uint16_t current_,
                                             uint16_t correspondent,
                                             unsigned int reason,
                                             uint64_t count)
{
    const unsigned int i = schedlog_slot(cpu, event, current_);
    const uint64_t route = ACCESS_ONCE(cpu->route[i]);

    return (route & XEN_SCHEDLOG_ROUTE_VALID) &&
           schedlog_write(cpu, route,
                          schedlog_ids(event, current_, correspondent), reason,
                          count);
}

/* The same without a reason. */
static always_inline void schedlog_leave(struct schedlog_cpu *cpu,
                                         unsigned int event,
                                         uint16_t current_,
                                         uint16_t correspondent,
                                         uint64_t count)
{
    schedlog_leave_for(cpu, event, current_, correspondent, 0, count);
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
