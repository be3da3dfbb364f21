/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers the recent holders of a pCPU, and divides a wait among them.
 *
 * A vCPU that waits is in no list of this facility, so a wait cannot be charged
 * while it lasts.  The pCPU on which the wait ends looks back: each accounting
 * domain that had this pCPU since the wait began is charged its part.
 *
 * Knows nothing of Xen, so that it is tested in user space.  The caller holds
 * the lock that serialises changes of the pCPU's holder.
 */
#ifndef SCHEDLOG_WAIT_H
#define SCHEDLOG_WAIT_H

#ifdef __XEN__
#include <xen/schedlog-record.h>
#else
#include "schedlog-record.h"
#endif

/* Runs that are remembered per pCPU: a power of two. */
#define SCHEDLOG_RUNS 64U

/* Accounting domains among which one wait is divided. */
#define SCHEDLOG_WAIT_PARTS 8U

/*
 * TSC ticks.  A switch takes this long, so a holder that left the pCPU less
 * than this after a vCPU was woken is not charged.
 */
#define SCHEDLOG_SWITCH_TICKS 4096U

/* The holders of a pCPU, and when each of them began to run. */
struct schedlog_holders {
    uint64_t since[SCHEDLOG_RUNS]; /* TSC */
    uint16_t acct[SCHEDLOG_RUNS];
    uint32_t nr;                   /* runs ever */
    uint64_t preempted;            /* TSC: when the last holder was, or 0 */
};

/* What one accounting domain has of a wait. */
struct schedlog_wait_part {
    uint64_t ticks;
    uint16_t acct;
};

/* Nothing is known of the time before the next schedlog_hold(). */
static inline void schedlog_forget_holders(struct schedlog_holders *h)
{
    h->nr = 0;
    h->preempted = 0;
}

/*
 * The holder is preempted at @tsc, and waits from then on: the next holder has
 * the pCPU since, however long the switch takes.
 */
static inline void schedlog_preempt(struct schedlog_holders *h, uint64_t tsc)
{
    h->preempted = tsc;
}

/* @acct gets the pCPU at @tsc. */
static inline void schedlog_hold(struct schedlog_holders *h, uint16_t acct,
                                 uint64_t tsc)
{
    unsigned int last = (h->nr - 1) % SCHEDLOG_RUNS;
    uint64_t preempted = h->preempted;

    h->preempted = 0;
    if ( h->nr && h->acct[last] == acct )
        return;

    h->since[h->nr % SCHEDLOG_RUNS] = preempted ?: tsc;
    h->acct[h->nr % SCHEDLOG_RUNS] = acct;
    h->nr++;
}

/*
 * Returns the only holder of the pCPU since @begin, or XEN_SCHEDLOG_ACCT_NONE
 * if there were several, or if the holder is unknown.
 */
static inline uint16_t schedlog_only_holder(const struct schedlog_holders *h,
                                            uint64_t begin)
{
    unsigned int last = (h->nr - 1) % SCHEDLOG_RUNS;

    return h->nr && h->since[last] < begin + SCHEDLOG_SWITCH_TICKS
           ? h->acct[last] : XEN_SCHEDLOG_ACCT_NONE;
}

/* Returns the new number of parts. */
static inline unsigned int schedlog_add_part(struct schedlog_wait_part *part,
                                             unsigned int nr, uint16_t acct,
                                             uint64_t ticks)
{
    unsigned int i;

    for ( i = 0; i < nr; i++ )
        if ( part[i].acct == acct )
        {
            part[i].ticks += ticks;
            return nr;
        }

    if ( nr == SCHEDLOG_WAIT_PARTS )
        return nr;

    part[nr] = (struct schedlog_wait_part){ ticks, acct };

    return nr + 1;
}

/*
 * Divide a wait, from @begin to @end, among the holders of the pCPU.  Writes
 * @part[SCHEDLOG_WAIT_PARTS], and returns how many there are.  Their sum is
 * less than the wait if the wait began before the oldest run that is
 * remembered, or if more accounting domains had the pCPU than there are parts.
 */
static inline unsigned int schedlog_divide_wait(
    const struct schedlog_holders *h, uint64_t begin, uint64_t end,
    struct schedlog_wait_part *part)
{
    unsigned int i = h->nr, nr = 0;
    unsigned int oldest = i < SCHEDLOG_RUNS ? 0 : i - SCHEDLOG_RUNS;

    while ( i != oldest && end > begin )
    {
        unsigned int run = --i % SCHEDLOG_RUNS;
        uint64_t since = h->since[run];

        if ( since < begin + SCHEDLOG_SWITCH_TICKS )
            since = begin;
        if ( since >= end )
            continue;

        nr = schedlog_add_part(part, nr, h->acct[run], end - since);
        end = since;
    }

    return nr;
}

#endif /* SCHEDLOG_WAIT_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
