/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order.h - in which order a plan's runs are done: one repetition after the
 * other, and in each of them every workload in every configuration once, in an
 * order of its own.  So what changes in a host with time (warmth, what others do,
 * a disk that fills) is in all configurations alike: randomised complete blocks.
 *
 * A seed gives the same order on every machine: GSL's mt19937, and its shuffle.
 */
#ifndef XENSCHED_RUNS_ORDER_H
#define XENSCHED_RUNS_ORDER_H

#include "plan.h"

struct order_item {
    unsigned int workload, configuration; /* indices in the plan */
    int repetition; /* from 1; of a warm-up 0, -1 ... */
};

unsigned int order_length(const struct runs_plan *plan);

/* Fill in order_length() items. */
void order_make(const struct runs_plan *plan, unsigned long seed,
                struct order_item *items);

#endif /* XENSCHED_RUNS_ORDER_H */
