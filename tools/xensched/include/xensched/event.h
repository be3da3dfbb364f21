/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * event.h - names and kinds of the events of <xensched/abi.h>.
 *
 * The list itself is there; this is only a way to ask it.
 */
#ifndef XENSCHED_EVENT_H
#define XENSCHED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

/* Name of event @number, or NULL when there is no such event. */
const char *xensched_event_name(unsigned int number);

/* "exit", "access", "change", "periodic", or NULL. */
const char *xensched_event_kind(unsigned int number);

/* Number of the event called @name, or -1. */
int xensched_event_number(const char *name);

/* The counter of a row of off-cpu. */
struct xensched_off_cpu {
    const char *left;  /* why the vCPU left its pCPU, or NULL: a newer Xen's reason */
    const char *woke;  /* what woke it, or NULL: nothing did, or it is not known */
    bool capped;       /* later its budget was used up, */
    bool paused;       /* or it was paused */
    uint64_t ns;       /* from when it left until it ran; at least this if @long_ns */
    bool long_ns;
};

void xensched_off_cpu(uint64_t counter, struct xensched_off_cpu *off);

/* The reason of a row of a wait: how the vCPU came to wait. */
struct xensched_reason {
    const char *left, *woke; /* as above */
    bool capped, paused;     /* likewise */
    bool cut;                /* the vCPU did not run at the end of the wait */
};

void xensched_reason(unsigned int reason, struct xensched_reason *of);

/* Xen's work since the last such row: hypercalls, interrupts, exits, waits for flushes. */
struct xensched_work {
    const char *reason;  /* its name, or NULL: a newer Xen's */
    unsigned int number; /* of the reason */
    uint64_t times;
    uint64_t ns;         /* of all of them */
};

/* Are rows of @event such rows? */
bool xensched_is_work(unsigned int event);

void xensched_work(unsigned int event, uint64_t counter, struct xensched_work *work);

#endif /* XENSCHED_EVENT_H */
