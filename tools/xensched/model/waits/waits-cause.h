/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits-cause.h - the causes of waits: what woke a vCPU, or why it had left its pCPU.
 *
 * Xen's rows of waits distinguish a wake-up from a preemption.  Their reason, if the log has
 * any, states the rest.
 */
#ifndef XENSCHED_MODEL_WAITS_CAUSE_H
#define XENSCHED_MODEL_WAITS_CAUSE_H

#include <xensched/row.h>

/* How a vCPU began to wait: it had run before for causes from WAITS_PREEMPTED on, else it slept. */
enum waits_cause {
    WAITS_WOKEN, /* by another cause than the next five, or rows have no reason */
    WAITS_EVENT_CHANNEL, WAITS_IPI, WAITS_TIMER, WAITS_VIRQ, WAITS_PIRQ,
    WAITS_POLLING,  /* it had polled, such as for a lock */
    WAITS_PAUSED,
    WAITS_CAPPED,   /* its cap was used up */
    WAITS_IN_XEN,
    WAITS_MIGRATED, /* its affinity, or its pool, changed, or its pCPU went offline */
    WAITS_PREEMPTED,
    WAITS_YIELDED,
    WAITS_SPINNING, /* a pause-loop exit */
    WAITS_BUDGET,   /* its budget of rtds, or its slot of arinc653, was used up */
    WAITS_CAUSES,
};

const char *waits_cause_name(enum waits_cause cause);

/* @wait: a row of wake-delay or preempt-delay. */
enum waits_cause waits_cause_of(const struct xensched_row *wait);

#endif /* XENSCHED_MODEL_WAITS_CAUSE_H */
