/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wakes.h - notifications and what came of them: from the row of a
 * notification to the wake-up that it caused, and on to the run.
 *
 * A notification is a row of evtchn-recv, or, if that is not logged, of
 * evtchn-send.  It names its receiver's accounting domain, not the vCPU: that is
 * the one which woke up then, or else the one which ran.
 */
#ifndef XENSCHED_TIMELINE_WAKES_H
#define XENSCHED_TIMELINE_WAKES_H

#include "vcpus.h"

enum wake_kind {
    WAKE_WOKEN,   /* a vCPU slept and became runnable */
    WAKE_WAITING, /* it was runnable already */
    WAKE_RUNNING, /* it ran already */
    WAKE_NONE,    /* it slept and went on */
    WAKE_UNKNOWN, /* rows are missing, or nothing is known of the receiver */
    WAKE_KINDS,
};

struct wake {
    uint64_t sent, woken, ran; /* ran: NEVER, if that is not known */
    uint32_t cpu;  /* index of the pCPU on which it was sent */
    uint32_t from; /* index of the sender's vCPU, or NONE */
    uint32_t to;   /* of the receiver's, or NONE */
    uint16_t sender, receiver;
    uint8_t kind;
};

struct wakes {
    struct wake *wake; /* by sent */
    size_t nr, room;
    uint64_t pairs;       /* of a notification and a wake-up */
    uint64_t disordered;  /* of these, the wake-up came first */
    double by_chance;     /* the number of these that true clocks can be expected to show */
    uint64_t disorder_ns; /* the most that it did */
};

void wakes_make(struct wakes *wakes, const struct rows *rows,
                const struct stays *stays, const struct vcpus *vcpus);
void wakes_free(struct wakes *wakes);

/* The notification that woke @vcpu (an index) at @woken, or NULL. */
const struct wake *wakes_of(const struct wakes *wakes, uint32_t vcpu,
                            uint64_t woken);

#endif /* XENSCHED_TIMELINE_WAKES_H */
