/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * event.h - names and kinds of the events of <xensched/abi.h>.
 *
 * The names of events, and the meaning of counters and reasons.
 */
#ifndef XENSCHED_EVENT_H
#define XENSCHED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

/* Returns the name of event @number; NULL: there is no such event. */
const char *xensched_event_name(unsigned int number);

/* Returns "exit", "access", "change" or "periodic"; NULL: there is no such event. */
const char *xensched_event_kind(unsigned int number);

/* Returns the number of the event @name, or -1. */
int xensched_event_number(const char *name);

/* The counter of a row of off-cpu. */
struct xensched_off_cpu {
    const char *left;  /* why the vCPU left its pCPU; NULL: a reason of a newer Xen */
    const char *woke;  /* what woke it; NULL: nothing, or unknown */
    bool capped;       /* after that, its budget was used up */
    bool paused;       /* after that, it was paused */
    uint64_t ns;       /* from when it left until it ran; a lower bound if @long_ns */
    bool long_ns;
};

void xensched_off_cpu(uint64_t counter, struct xensched_off_cpu *off);

/* The counter of a row of replenish. */
struct xensched_replenish {
    uint64_t left_ns; /* of the budget of the period that ended; 2^31 - 1: that, or more */
    bool missed;      /* that period's deadline */
};

void xensched_replenish(uint64_t counter, struct xensched_replenish *replenish);

/* The reason of a row of a wait: how the vCPU began to wait. */
struct xensched_reason {
    const char *left, *woke; /* as above */
    bool capped, paused;     /* likewise */
    bool cut;                /* the vCPU did not run at the end of the wait */
};

void xensched_reason(unsigned int reason, struct xensched_reason *of);

/* Xen's work since the previous such row: hypercalls, interrupts, exits, waits for flushes. */
struct xensched_work {
    const char *reason;  /* its name; NULL: a reason of a newer Xen */
    unsigned int number; /* number of the reason */
    uint64_t times;
    uint64_t ns;         /* all times together */
};

/* Do rows of @event have a struct xensched_work? */
bool xensched_is_work(unsigned int event);

void xensched_work(unsigned int event, uint64_t counter, struct xensched_work *work);

#endif /* XENSCHED_EVENT_H */
