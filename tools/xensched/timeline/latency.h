/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency.h - from notification to run, per pair of accounting domains: how
 * long, which part of it, and what it waited for.
 *
 * total = delivery (until it is runnable) + wait (until it has a pCPU).  What the
 * guest itself takes from there to the task that is meant is not in it.
 */
#ifndef XENSCHED_TIMELINE_LATENCY_H
#define XENSCHED_TIMELINE_LATENCY_H

#include "timeline.h"

struct latency_values {
    uint64_t *ns; /* in order */
    size_t nr, room;
};

/* A domain that had the pCPU for which it waited. */
struct latency_holder {
    uint16_t acct; /* NONE: not known */
    uint64_t ns;
};

struct latency_pair {
    uint16_t sender, receiver;
    uint64_t kinds[WAKE_KINDS];
    /* Of those whose run is known. */
    struct latency_values total, delivery, wait;
    uint64_t below_error; /* of these, shorter than the error of the two clocks */
    uint64_t slowest_ns; /* when that with the largest total was sent */
    uint64_t slowest_total_ns;
    uint32_t slowest_vcpu; /* index */
    struct latency_holder *holder; /* the longest first */
    size_t nr_holders, holders_room;
};

struct latency {
    struct latency_pair *pair; /* the one with most notifications first */
    size_t nr, room;
};

/* How many notifications it is about, of whatever kind. */
uint64_t latency_notifications(const struct latency_pair *pair);

/* Of notifications to @receiver; -1: of all. */
void latency_make(struct latency *latency, const struct timeline *t,
                  int receiver);
void latency_free(struct latency *latency);

/* The least value that @part (0 ... 1) of all do not exceed; 0 without any. */
uint64_t latency_quantile(const struct latency_values *values, double part);

#endif /* XENSCHED_TIMELINE_LATENCY_H */
