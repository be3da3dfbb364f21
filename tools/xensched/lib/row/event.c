/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names the events. */
#include <string.h>

#include <xensched/event.h>

#define ENTRY(NAME, name, kind) [XEN_SCHEDLOG_EV_##NAME] = { name, #kind },

static const struct {
    const char *name;
    const char *kind;
} events[XEN_SCHEDLOG_NR_EVENTS] = {
    XENSCHED_EVENTS(ENTRY)
};

const char *xensched_event_name(unsigned int number)
{
    return number < XEN_SCHEDLOG_NR_EVENTS ? events[number].name : NULL;
}

const char *xensched_event_kind(unsigned int number)
{
    return number < XEN_SCHEDLOG_NR_EVENTS ? events[number].kind : NULL;
}

int xensched_event_number(const char *name)
{
    int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events[i].name && !strcmp(events[i].name, name))
            return i;

    return -1;
}

static const char *const left[16] = {
    [XEN_SCHEDLOG_LEFT_PREEMPTED] = "preempted",
    [XEN_SCHEDLOG_LEFT_BLOCKED] = "blocked",
    [XEN_SCHEDLOG_LEFT_POLLING] = "polling",
    [XEN_SCHEDLOG_LEFT_YIELDED] = "yielded",
    [XEN_SCHEDLOG_LEFT_SPINNING] = "spinning",
    [XEN_SCHEDLOG_LEFT_PAUSED] = "paused",
    [XEN_SCHEDLOG_LEFT_CAPPED] = "capped",
    [XEN_SCHEDLOG_LEFT_IN_XEN] = "in-xen",
    [XEN_SCHEDLOG_LEFT_MIGRATED] = "migrated",
};

static const char *const woke[XEN_SCHEDLOG_OFF_WOKE_MASK + 1] = {
    [XEN_SCHEDLOG_WOKE_EVTCHN] = "event-channel",
    [XEN_SCHEDLOG_WOKE_IPI] = "ipi",
    [XEN_SCHEDLOG_WOKE_TIMER] = "timer",
    [XEN_SCHEDLOG_WOKE_VIRQ] = "virq",
    [XEN_SCHEDLOG_WOKE_PIRQ] = "pirq",
};

void xensched_off_cpu(uint64_t counter, struct xensched_off_cpu *off)
{
    uint64_t units = counter & XEN_SCHEDLOG_OFF_TIME_MASK;

    *off = (struct xensched_off_cpu){
        .left = left[counter >> XEN_SCHEDLOG_OFF_LEFT_SHIFT & 15],
        .woke = woke[counter >> XEN_SCHEDLOG_OFF_WOKE_SHIFT & XEN_SCHEDLOG_OFF_WOKE_MASK],
        .capped = counter & XEN_SCHEDLOG_OFF_CAPPED,
        .paused = counter & XEN_SCHEDLOG_OFF_PAUSED,
        .ns = units << XEN_SCHEDLOG_OFF_TIME_SHIFT,
        .long_ns = units == XEN_SCHEDLOG_OFF_TIME_MASK,
    };
}

void xensched_replenish(uint64_t counter, struct xensched_replenish *replenish)
{
    *replenish = (struct xensched_replenish){
        .left_ns = counter & XEN_SCHEDLOG_REPLENISH_LEFT_MASK,
        .missed = counter & XEN_SCHEDLOG_REPLENISH_MISSED,
    };
}

void xensched_reason(unsigned int reason, struct xensched_reason *of)
{
    unsigned int number = reason & XEN_SCHEDLOG_REASON_LEFT_MASK;

    *of = (struct xensched_reason){
        .capped = reason & XEN_SCHEDLOG_REASON_CAPPED,
        .paused = reason & XEN_SCHEDLOG_REASON_PAUSED,
        .cut = reason & XEN_SCHEDLOG_REASON_CUT,
    };
    if (reason & XEN_SCHEDLOG_REASON_SLEPT) {
        number = reason & XEN_SCHEDLOG_REASON_POLLED ? XEN_SCHEDLOG_LEFT_POLLING
                                                     : XEN_SCHEDLOG_LEFT_BLOCKED;
        of->woke = woke[reason & XEN_SCHEDLOG_REASON_WOKE_MASK];
    }
    of->left = left[number];
}
