/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the cause of a wait from its row. */
#include <xensched/abi.h>

#include "waits-cause.h"

const char *waits_cause_name(enum waits_cause cause)
{
    static const char *const names[WAITS_CAUSES] = {
        [WAITS_WOKEN] = "woken",
        [WAITS_EVENT_CHANNEL] = "event-channel",
        [WAITS_IPI] = "ipi",
        [WAITS_TIMER] = "timer",
        [WAITS_VIRQ] = "virq",
        [WAITS_PIRQ] = "pirq",
        [WAITS_POLLING] = "polling",
        [WAITS_PAUSED] = "paused",
        [WAITS_CAPPED] = "capped",
        [WAITS_IN_XEN] = "in-xen",
        [WAITS_MIGRATED] = "migrated",
        [WAITS_PREEMPTED] = "preempted",
        [WAITS_YIELDED] = "yielded",
        [WAITS_SPINNING] = "spinning",
        [WAITS_BUDGET] = "budget",
    };

    return names[cause];
}

static enum waits_cause cause_of_wake(unsigned int woke)
{
    static const uint8_t by_waker[] = {
        [XEN_SCHEDLOG_WOKE_OTHER] = WAITS_WOKEN,
        [XEN_SCHEDLOG_WOKE_EVTCHN] = WAITS_EVENT_CHANNEL,
        [XEN_SCHEDLOG_WOKE_IPI] = WAITS_IPI,
        [XEN_SCHEDLOG_WOKE_TIMER] = WAITS_TIMER,
        [XEN_SCHEDLOG_WOKE_VIRQ] = WAITS_VIRQ,
        [XEN_SCHEDLOG_WOKE_PIRQ] = WAITS_PIRQ,
    };

    return woke < sizeof(by_waker) ? by_waker[woke] : WAITS_WOKEN;
}

/* The vCPU was blocked or offline. */
static enum waits_cause cause_after_sleep(unsigned int reason)
{
    unsigned int left = reason & XEN_SCHEDLOG_REASON_LEFT_MASK;

    if (reason & XEN_SCHEDLOG_REASON_CAPPED)
        return WAITS_CAPPED;
    if (reason & XEN_SCHEDLOG_REASON_PAUSED)
        return WAITS_PAUSED;
    if (reason & XEN_SCHEDLOG_REASON_SLEPT)
        return reason & XEN_SCHEDLOG_REASON_POLLED
               ? WAITS_POLLING : cause_of_wake(reason & XEN_SCHEDLOG_REASON_WOKE_MASK);

    switch (left) {
    case XEN_SCHEDLOG_LEFT_CAPPED:
        return WAITS_CAPPED;
    case XEN_SCHEDLOG_LEFT_PAUSED:
        return WAITS_PAUSED;
    case XEN_SCHEDLOG_LEFT_IN_XEN:
        return WAITS_IN_XEN;
    case XEN_SCHEDLOG_LEFT_MIGRATED:
    /* While it waited, it moved to the queue of another pCPU. */
    case XEN_SCHEDLOG_LEFT_PREEMPTED:
    case XEN_SCHEDLOG_LEFT_YIELDED:
    case XEN_SCHEDLOG_LEFT_SPINNING:
        return WAITS_MIGRATED;
    default:
        return WAITS_WOKEN;
    }
}

static enum waits_cause cause_after_run(unsigned int reason)
{
    if (reason & XEN_SCHEDLOG_REASON_CAPPED)
        return WAITS_BUDGET;

    switch (reason & XEN_SCHEDLOG_REASON_LEFT_MASK) {
    case XEN_SCHEDLOG_LEFT_CAPPED:
        return WAITS_BUDGET;
    case XEN_SCHEDLOG_LEFT_YIELDED:
        return WAITS_YIELDED;
    case XEN_SCHEDLOG_LEFT_SPINNING:
        return WAITS_SPINNING;
    default:
        return WAITS_PREEMPTED;
    }
}

enum waits_cause waits_cause_of(const struct xensched_row *wait)
{
    bool ran = wait->event == XEN_SCHEDLOG_EV_PREEMPT_DELAY;

    if (!(wait->valid & XENSCHED_ROW_REASON))
        return ran ? WAITS_PREEMPTED : WAITS_WOKEN;

    return ran ? cause_after_run(wait->reason) : cause_after_sleep(wait->reason);
}
