/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain.h - why did this vCPU run so late?  The chain from a run backwards: who
 * woke it, when that one ran, who woke that one, ...
 */
#ifndef XENSCHED_TIMELINE_CHAIN_H
#define XENSCHED_TIMELINE_CHAIN_H

#include "timeline.h"

#define CHAIN_LINKS 16U

/* A run, the latest first. */
struct chain_link {
    uint32_t vcpu;
    uint32_t cpu;        /* index of the pCPU */
    uint64_t ran, end;
    uint64_t ready;      /* since then it could have run; ran: it did at once */
    uint64_t slept;      /* since then it slept; NEVER: it did not sleep */
    bool lost;           /* what was before is in rows that were lost */
    const struct wake *wake; /* who woke it; NULL: not a notification */
};

struct chain {
    unsigned int nr;
    struct chain_link link[CHAIN_LINKS];
};

/*
 * Of the run of one of the vCPUs of @acct which it had at @ns or for which it
 * waited then; if it slept, of the next one.  False: it has none.
 */
bool chain_make(struct chain *chain, const struct timeline *t, uint16_t acct,
                uint64_t ns);

#endif /* XENSCHED_TIMELINE_CHAIN_H */
