/* SPDX-License-Identifier: GPL-2.0-only */
/* cause.h - names the largest part of the time by which a vCPU's run was late. */
#ifndef XENSCHED_TIMELINE_CAUSE_H
#define XENSCHED_TIMELINE_CAUSE_H

#include "chain.h"

enum cause_kind {
    CAUSE_NONE,       /* it was not late */
    CAUSE_BUDGET,     /* its cap, or its scheduler's budget, was used up */
    CAUSE_MOVED,      /* it had to leave the pCPU @from */
    CAUSE_INTERRUPTS, /* Xen handled interrupts and softirqs */
    CAUSE_HYPERCALLS, /* of @acct, exits included */
    CAUSE_DOMAIN,     /* @acct had the pCPU */
    CAUSE_IDLE,       /* the pCPU was idle */
};

struct cause {
    enum cause_kind kind;
    uint64_t ns;
    uint16_t acct;
    uint32_t from;             /* index of a pCPU, or STAY_NONE: unknown */
    struct xen_work_part most; /* the longest part of Xen's work */
};

/* Xen's work before the run, while @h had the pCPU; and in the run until the link's deed. */
void cause_work_of_holder(const struct timeline *t, const struct chain_link *link,
                          const struct chain_holder *h, struct xen_work_sum *sum);
void cause_work_in_run(const struct timeline *t, const struct chain_link *link,
                       struct xen_work_sum *sum);

/*
 * The piece of Xen's work that may have delayed the timer that woke the vCPU; none, if a
 * notification did.
 */
void cause_work_before_wake(const struct timeline *t, const struct chain_link *link,
                            struct xen_work_piece *piece);

/* By how much a vCPU's run was late: it waited, or Xen worked before it woke and while it ran. */
uint64_t cause_late_ns(const struct timeline *t, const struct chain_link *link);

/* @link is a vCPU's run. */
void cause_find(struct cause *cause, const struct timeline *t, const struct chain_link *link);

#endif /* XENSCHED_TIMELINE_CAUSE_H */
