/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency.h - measures the time from notification to run, per pair of accounting domains: its
 * length, its parts, and the domains that had the pCPU.
 *
 * total = delivery (until the vCPU is runnable) + wait (until it has a pCPU).  The guest's own time
 * until the notified task runs is not included.
 */
#ifndef XENSCHED_TIMELINE_LATENCY_H
#define XENSCHED_TIMELINE_LATENCY_H

#include "timeline.h"

struct latency_values {
    uint64_t *ns; /* sorted */
    size_t nr, room;
};

/* A domain that had the pCPU while the receiver waited. */
struct latency_holder {
    uint16_t acct; /* NONE: unknown */
    uint64_t ns;
};

struct latency_pair {
    uint16_t sender, receiver;
    uint64_t kinds[WAKE_KINDS];
    /* For notifications whose run is known. */
    struct latency_values total, delivery, wait;
    uint64_t below_error; /* number of times that are shorter than the error of the two clocks */
    uint64_t slowest_ns; /* when the notification with the largest total was sent */
    uint64_t slowest_total_ns;
    uint32_t slowest_vcpu; /* index of its vCPU */
    struct latency_holder *holder; /* the longest time first */
    size_t nr_holders, holders_room;
};

struct latency {
    struct latency_pair *pair; /* the most notifications first */
    size_t nr, room;
};

/* Returns the number of the pair's notifications, of any kind. */
uint64_t latency_notifications(const struct latency_pair *pair);

/* Measures notifications to @receiver; -1: to all. */
void latency_make(struct latency *latency, const struct timeline *t,
                  int receiver);
void latency_free(struct latency *latency);

/* Returns the least value that a part of @part (0 ... 1) does not exceed; 0 without values. */
uint64_t latency_quantile(const struct latency_values *values, double part);

#endif /* XENSCHED_TIMELINE_LATENCY_H */
