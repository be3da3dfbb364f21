/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen-work.h - computes how long Xen worked on a pCPU while a domain had it, and for what.
 *
 * Rows of such work are sums since the tick before, so a row is spread evenly over the time
 * for which its domain had the pCPU since then.
 */
#ifndef XENSCHED_TIMELINE_XEN_WORK_H
#define XENSCHED_TIMELINE_XEN_WORK_H

#include "stays.h"

struct xen_work_row {
    uint64_t since, ns; /* of the tick before and of this one; equal: that is unknown */
    uint64_t had_ns;    /* its domain had the pCPU in this time */
    uint64_t counter;
    uint16_t event, acct;
};

struct xen_work_cpu {
    struct xen_work_row *row; /* by ns */
    size_t nr, room;
};

struct xen_work {
    struct xen_work_cpu *cpu; /* by the index of stays */
    unsigned int nr;
};

#define XEN_WORK_PARTS 16U

struct xen_work_part {
    uint16_t event;
    const char *reason; /* NULL: a newer Xen's */
    unsigned int number; /* of the reason */
    uint64_t ns;
    double times;
};

/* Sums of all work in a time. */
struct xen_work_sum {
    uint64_t ns;
    uint64_t interrupts_ns; /* of these, work that the domain did not ask for */
    struct xen_work_part part[XEN_WORK_PARTS]; /* the longest first */
    unsigned int nr;
};

/* Is it an interrupt, a softirq or a flush, not a hypercall or an exit? */
bool xen_work_is_interrupt(const struct xen_work_part *part);

void xen_work_make(struct xen_work *work, const struct rows *rows, const struct stays *stays);
void xen_work_free(struct xen_work *work);

/* Adds up the work of @acct on the pCPU @cpu (an index) from @begin to @end. */
void xen_work_between(const struct xen_work *work, const struct stays *stays, uint32_t cpu,
                      uint16_t acct, uint64_t begin, uint64_t end, struct xen_work_sum *sum);

/* A piece of work without a pause, in which Xen handled no timer of the pCPU. */
struct xen_work_piece {
    struct xen_work_part part; /* with the length of the piece */
    uint16_t acct;             /* the domain that had the pCPU */
};

/*
 * The longest piece on the pCPU @cpu (an index) from @begin to @end, after the last tick before
 * @end.  Its length is a lower bound, because a row has the sum of several pieces; 0: there is
 * none.
 */
void xen_work_longest_before(const struct xen_work *work, const struct stays *stays,
                             uint32_t cpu, uint64_t begin, uint64_t end,
                             struct xen_work_piece *piece);

#endif /* XENSCHED_TIMELINE_XEN_WORK_H */
