/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain.h - finds why a vCPU or a thread ran so late: the chain of causes from a run backwards,
 * through all layers.  A link is a run and what woke it.  A thread is woken by a thread, or by an
 * interrupt that its vCPU received when it ran; a vCPU is notified by another one, on which a
 * thread may be known to have run.
 * known to have run.
 */
#ifndef XENSCHED_TIMELINE_CHAIN_H
#define XENSCHED_TIMELINE_CHAIN_H

#include <xensched/event.h>

#include "timeline.h"

#define CHAIN_LINKS 24U

/* A run; the latest is first. */
struct chain_link {
    uint32_t thread;     /* NONE: the run of a vCPU */
    uint32_t place;      /* of a thread: where it ran */
    uint32_t vcpu;       /* of a thread: the vCPU of its place, or STAY_NONE */
    uint32_t cpu;        /* of a vCPU: index of the pCPU */
    uint64_t ran, end;
    uint64_t ready;      /* when it could run; equal to ran if it ran at once */
    uint64_t slept;      /* when it fell asleep; NEVER: it did not sleep */
    uint64_t did;        /* when it caused the wake-up of the previous link; ran in the first
                            link */
    char why;            /* of a thread: the state of its sleep, a letter, or 0 */
    bool lost;           /* rows before it were lost */
    const struct wake *wake; /* what woke the vCPU; NULL: not a notification */
    const struct thread_wake *thread_wake; /* what woke the thread, or NULL */
    uint64_t vcpu_ran;   /* of a thread: since when its vCPU ran, if that was late for it; NEVER:
                            it was in time */
};

struct chain {
    unsigned int nr;
    struct chain_link link[CHAIN_LINKS];
};

/* Any vCPU of the domain. */
#define CHAIN_ANY_VCPU UINT32_MAX

/*
 * Makes the chain of the run that vCPU @number of @acct, or one of its vCPUs, had at @ns or for
 * which it waited then; if it slept, of the next run.  Returns false if there is none.
 */
bool chain_make(struct chain *chain, const struct timeline *t, uint16_t acct,
                uint32_t number, uint64_t ns);

/* The same for a thread (an index). */
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
