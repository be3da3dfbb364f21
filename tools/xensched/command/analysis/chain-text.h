/* SPDX-License-Identifier: GPL-2.0-only */
/* chain-text.h - prints chains of causes (timeline/chain.h), and what they consist of. */
#ifndef XENSCHED_CHAIN_TEXT_H
#define XENSCHED_CHAIN_TEXT_H

#include <xensched/event.h>

#include "timeline/chain.h"

/* A part of the time for which a vCPU waited, and what ran on its pCPU then. */
struct chain_holder {
    const struct stay *stay; /* NULL: begin with the first part */
    uint64_t begin, ns;
};

/* The next part; false: there is none. */
bool chain_next_holder(const struct timeline *t, const struct chain_link *link,
                       struct chain_holder *h);

/* By the vCPU's row of off-cpu; false: there is none. */
bool chain_off_cpu(const struct timeline *t, const struct chain_link *link,
                   struct xensched_off_cpu *off);

/* How long the thread @i had the vCPU for which the thread of @link waited. */
uint64_t chain_held_ns(const struct timeline *t, const struct chain_link *link,
                       size_t i);

/* As text, the latest run first. */
void chain_print(const struct timeline *t, const struct chain *chain);

#endif /* XENSCHED_CHAIN_TEXT_H */
