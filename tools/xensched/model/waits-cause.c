/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads from rows of waits and of off-cpu how a vCPU came to wait. */
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

static enum waits_cause cause_after_sleep(unsigned int left, unsigned int woke, bool capped,
                                          bool paused)
{
    static const uint8_t by_waker[] = {
        [XEN_SCHEDLOG_WOKE_OTHER] = WAITS_WOKEN,
        [XEN_SCHEDLOG_WOKE_EVTCHN] = WAITS_EVENT_CHANNEL,
        [XEN_SCHEDLOG_WOKE_IPI] = WAITS_IPI,
        [XEN_SCHEDLOG_WOKE_TIMER] = WAITS_TIMER,
        [XEN_SCHEDLOG_WOKE_VIRQ] = WAITS_VIRQ,
        [XEN_SCHEDLOG_WOKE_PIRQ] = WAITS_PIRQ,
    };

    if (capped || left == XEN_SCHEDLOG_LEFT_CAPPED)
        return WAITS_CAPPED;
    if (paused || left == XEN_SCHEDLOG_LEFT_PAUSED)
        return WAITS_PAUSED;
    if (left == XEN_SCHEDLOG_LEFT_IN_XEN)
        return WAITS_IN_XEN;
    if (left == XEN_SCHEDLOG_LEFT_MIGRATED)
        return WAITS_MIGRATED;
    if (left == XEN_SCHEDLOG_LEFT_POLLING)
        return WAITS_POLLING;

    return woke < sizeof(by_waker) ? by_waker[woke] : WAITS_WOKEN;
}

static enum waits_cause cause_after_run(unsigned int left, bool capped)
{
    if (capped || left == XEN_SCHEDLOG_LEFT_CAPPED)
        return WAITS_BUDGET;
    if (left == XEN_SCHEDLOG_LEFT_YIELDED)
        return WAITS_YIELDED;

    return left == XEN_SCHEDLOG_LEFT_SPINNING ? WAITS_SPINNING : WAITS_PREEMPTED;
}

enum waits_cause waits_cause_of(const struct xensched_row *wait,
                                const struct xensched_row *end)
{
    const struct xensched_row *row = wait + 1;
    bool ran = wait->event == XEN_SCHEDLOG_EV_PREEMPT_DELAY;
    uint32_t counter;
    unsigned int left;

    while (row < end && row->event == XEN_SCHEDLOG_EV_WAIT_PART &&
           row->current == wait->current)
        row++;
    if (row == end || row->event != XEN_SCHEDLOG_EV_OFF_CPU || row->current != wait->current)
        return ran ? WAITS_PREEMPTED : WAITS_WOKEN;
    counter = row->counter;
    left = counter >> XEN_SCHEDLOG_OFF_LEFT_SHIFT;
    if (ran)
        return cause_after_run(left, counter & XEN_SCHEDLOG_OFF_CAPPED);

    return cause_after_sleep(left, counter >> XEN_SCHEDLOG_OFF_WOKE_SHIFT &
                             XEN_SCHEDLOG_OFF_WOKE_MASK, counter & XEN_SCHEDLOG_OFF_CAPPED,
                             counter & XEN_SCHEDLOG_OFF_PAUSED);
}
