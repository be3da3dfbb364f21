/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures, for exit events, how much of a resource an accounting domain uses
 * from when it enters a pCPU until it leaves the pCPU.
 *
 * A run interval, here a stay, begins when the pCPU switches to a vCPU of
 * another accounting domain.  The threshold is counted then (schedlog_enter()),
 * and the row is written at the end (schedlog_leave()), so the resource's
 * counter is read only at the ends of stays which are logged.  Stoess 2005,
 * section 4.3.5.
 *
 * Uses nothing of Xen, so that tests in user space control the counter.
 */
#ifndef SCHEDLOG_STAY_H
#define SCHEDLOG_STAY_H

#ifdef __XEN__
#include <xen/schedlog-record.h>
#else
#include "schedlog-record.h"
#endif

/*
 * When an event is turned on, stays are under way.  Each pCPU compares epochs
 * to notice this, so that no other pCPU has to write to its data.
 */
struct schedlog_epoch {
    uint32_t nr;
    bool known;     /* Is a counter's value at the time of the epoch known? */
    uint64_t value; /* That value. */
};

/* The present stay on a pCPU, of one kind of resource. */
struct schedlog_stay {
    uint64_t entered; /* The counter at its begin. */
    uint32_t epoch;
    bool logged;      /* The end of this stay makes a row, */
    bool ends_logged; /* as does that of the one before. */
};

static inline void schedlog_stay_epoch(struct schedlog_stay *stay,
                                       const struct schedlog_epoch *epoch)
{
    uint32_t nr = ACCESS_ONCE(epoch->nr);

    if ( likely(stay->epoch == nr) )
        return;

    /* The writer stores the epoch's value first, and its number last. */
    smp_rmb();
    stay->epoch = nr;
    stay->entered = epoch->value;
    stay->logged = epoch->known;
}

/* Initialises the stay of a pCPU which comes online. */
static inline void schedlog_stay_init(struct schedlog_stay *stay,
                                      const struct schedlog_epoch *epoch)
{
    *stay = (struct schedlog_stay){ .epoch = epoch->nr };
}

/* Returns the usage.  Clocks of pCPUs may differ a little, counters wrap. */
static inline uint64_t schedlog_stay_used(const struct schedlog_stay *stay,
                                          uint64_t now, uint64_t mask)
{
    uint64_t used = (now - stay->entered) & mask;

    return used <= mask / 2 ? used : 0;
}

/*
 * The pCPU switches to another accounting domain, @next.  Returns whether a row
 * needs the counter: if so, the caller reads it and calls
 * schedlog_stay_switch().
 */
static always_inline bool schedlog_stay_next(struct schedlog_cpu *cpu,
                                             struct schedlog_stay *stay,
                                             unsigned int event, uint16_t next)
{
    stay->ends_logged = stay->logged;
    stay->logged = schedlog_enter(cpu, event, next);

    return stay->ends_logged || stay->logged;
}

/* The switch from @prev to @next took place when the counter was @now. */
static always_inline void schedlog_stay_switch(struct schedlog_cpu *cpu,
                                               struct schedlog_stay *stay,
                                               unsigned int event,
                                               uint16_t prev, uint16_t next,
                                               uint64_t now, uint64_t mask)
{
    if ( stay->ends_logged )
        schedlog_leave(cpu, event, prev, next,
                       schedlog_stay_used(stay, now, mask));
    stay->entered = now;
}

/*
 * @acct, whose stay is logged, stays on the pCPU.  Its usage until the counter
 * was @now makes a row of its own.
 */
static always_inline void schedlog_stay_report(struct schedlog_cpu *cpu,
                                               struct schedlog_stay *stay,
                                               unsigned int event,
                                               uint16_t acct, uint64_t now,
                                               uint64_t mask)
{
    schedlog_leave(cpu, event, acct, XEN_SCHEDLOG_ACCT_NONE,
                   schedlog_stay_used(stay, now, mask));
    stay->entered = now;
}

#endif /* SCHEDLOG_STAY_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
