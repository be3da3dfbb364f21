/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exit events: what an accounting domain uses of a resource from when it enters
 * a pCPU until it leaves it.
 *
 * A stay begins when the pCPU switches to a vCPU of another accounting domain.
 * The threshold is counted there (schedlog_enter()), and the row is written at
 * the end (schedlog_leave()), so the resource's counter is read only at the
 * ends of stays which are logged.  Stoess 2005, section 4.3.5.
 *
 * Knows nothing of Xen, so that it is tested in user space with a counter
 * which a test has in its hands.
 */
#ifndef SCHEDLOG_STAY_H
#define SCHEDLOG_STAY_H

#ifdef __XEN__
#include <xen/schedlog-record.h>
#else
#include "schedlog-record.h"
#endif

/*
 * When an event is turned on, stays have begun already.  A new epoch tells
 * each pCPU so, without that anybody has to write to its data.
 */
struct schedlog_epoch {
    uint32_t nr;
    bool known;     /* Does a counter's value at that time mean anything? */
    uint64_t value; /* It. */
};

/* The present stay on a pCPU, of one kind of resource. */
struct schedlog_stay {
    uint64_t entered; /* The counter then. */
    uint32_t epoch;
    bool logged;      /* Make a row of it. */
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

/* A pCPU which comes online: nobody has entered it. */
static inline void schedlog_stay_init(struct schedlog_stay *stay,
                                      const struct schedlog_epoch *epoch)
{
    *stay = (struct schedlog_stay){ .epoch = epoch->nr };
}

/* What was used.  Clocks of pCPUs may differ a little, counters wrap. */
static inline uint64_t schedlog_stay_used(const struct schedlog_stay *stay,
                                          uint64_t now, uint64_t mask)
{
    uint64_t used = (now - stay->entered) & mask;

    return used <= mask / 2 ? used : 0;
}

/*
 * @prev leaves, @next enters, and they differ.  @now is an expression: it is
 * evaluated at most once, and only if its value is needed.
 */
#define schedlog_stay_switch(cpu, stay, event, prev, next, now, mask)        \
    do {                                                                     \
        bool leave_ = (stay)->logged;                                        \
        uint64_t now_;                                                       \
                                                                             \
        (stay)->logged = schedlog_enter(cpu, event, next);                   \
        if ( !leave_ && !(stay)->logged )                                    \
            break;                                                           \
                                                                             \
        now_ = (now);                                                        \
        if ( leave_ )                                                        \
            schedlog_leave(cpu, event, prev, next,                           \
                           schedlog_stay_used(stay, now_, mask));            \
        (stay)->entered = now_;                                              \
    } while ( 0 )

/* @acct stays.  What it has used so far is reported, the rest follows. */
#define schedlog_stay_report(cpu, stay, event, acct, now, mask)              \
    do {                                                                     \
        uint64_t now_;                                                       \
                                                                             \
        if ( !(stay)->logged )                                               \
            break;                                                           \
                                                                             \
        now_ = (now);                                                        \
        schedlog_leave(cpu, event, acct, XEN_SCHEDLOG_ACCT_NONE,             \
                       schedlog_stay_used(stay, now_, mask));                \
        (stay)->entered = now_;                                              \
    } while ( 0 )

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
