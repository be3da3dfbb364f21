/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain.h - why did this vCPU, or this thread, run so late?  The chain from a
 * run backwards: what woke it, when that one ran, what woke that one, ... through
 * all layers: a thread is woken by a thread, or by an interrupt that its vCPU
 * took when it ran; a vCPU is notified by another one, on which a thread may be
 * known to have run.
 */
#ifndef XENSCHED_TIMELINE_CHAIN_H
#define XENSCHED_TIMELINE_CHAIN_H

#include <xensched/event.h>

#include "timeline.h"

#define CHAIN_LINKS 24U

/* A run, the latest first. */
struct chain_link {
    uint32_t thread;     /* NONE: it is the vCPU's run */
    uint32_t place;      /* of a thread: where it ran */
    uint32_t vcpu;       /* of a thread: that of its place, or STAY_NONE */
    uint32_t cpu;        /* of a vCPU: index of the pCPU */
    uint64_t ran, end;
    uint64_t ready;      /* since then it could have run; ran: it did at once */
    uint64_t slept;      /* since then it slept; NEVER: it did not sleep */
    uint64_t did;        /* when it did what the link before waited for; of the
                            first one: ran */
    char why;            /* of a thread: as what it slept, a letter, or 0 */
    bool lost;           /* what was before is in rows that were lost */
    const struct wake *wake; /* what woke the vCPU; NULL: not a notification */
    const struct thread_wake *thread_wake; /* what woke the thread, or NULL */
    uint64_t vcpu_ran;   /* of a thread: its vCPU ran since then only, and that
                            was late for it; NEVER: it was in time */
};

struct chain {
    unsigned int nr;
    struct chain_link link[CHAIN_LINKS];
};

/* Of any of its vCPUs. */
#define CHAIN_ANY_VCPU UINT32_MAX

/*
 * Of the run of the vCPU @number of @acct, or of one of its vCPUs, which it had
 * at @ns or for which it waited then; if it slept, of the next one.  False: it
 * has none.
 */
bool chain_make(struct chain *chain, const struct timeline *t, uint16_t acct,
                uint32_t number, uint64_t ns);

/* The same of a thread (an index). */
bool chain_make_of_thread(struct chain *chain, const struct timeline *t,
                          uint32_t thread, uint64_t ns);

/* The run that is span @run of @vcpu (an index); @did as in the link. */
void chain_link_run(struct chain_link *link, const struct timeline *t, uint32_t vcpu,
                    size_t run, uint64_t did);

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

#endif /* XENSCHED_TIMELINE_CHAIN_H */
