/* SPDX-License-Identifier: MIT */
/*
 * schedlog.h
 *
 * Defines the shared log area of a producer (Xen, or another program that
 * writes such a log) and the scheduler outside of it.  This file is the whole
 * contract between log site and reader; the operations which set an area up are
 * in sysctl.h (XEN_SYSCTL_schedlog) and domctl.h (XEN_DOMCTL_schedlog_bind).
 *
 * Vocabulary
 *
 *   accounting domain  The number that an event is charged to.
 *                      The scheduler binds domains or vCPUs to accounting
 *                      domains.  Events inside of one accounting domain are
 *                      not logged, but for waits.
 *   log buffer         A cyclic buffer of rows.  Each pCPU has its own set of
 *                      log buffers, with the same sizes everywhere.
 *   log control        A 32-bit word per log buffer.  It selects which entries
 *   register           a row has.
 *   route              A 64-bit word per (accounting domain, event).  It
 *                      selects the log buffer and the threshold.
 *
 * Regions of an area
 *
 *   GLOBAL   one per area, scheduler: read / write.
 *            struct xen_schedlog_header in the first page, then
 *            uint64_t route[nr_acct][NR_EVENTS].
 *   CONTROL  one per pCPU, scheduler: read / write.  uint32_t lcr[nr_files],
 *            then, of a producer with a doorbell, uint64_t mark[nr_files].
 *   STATE    one per pCPU, scheduler: read only.
 *            struct xen_schedlog_state state[nr_files].
 *   DATA     one per pCPU, scheduler: read only.  The log buffers.
 *
 * Words which the scheduler may write can be written at any time, with a
 * plain aligned store of the word's own size.  The producer reads each such
 * word once per event (a mark: once per tick) and accepts any bit pattern:
 * undefined bits are ignored, indices are masked, nothing in shared memory is
 * used as an address or as a size.  The producer reads STATE and DATA only to
 * add to a counter, so what is written there cannot mislead it.
 *
 * Reading a log buffer without stopping its producer.  "Read" is an acquire
 * load, and an acquire fence follows the copy; on x86 these are plain loads.
 *
 *   1. Read layout_seq, the layout (see struct xen_schedlog_state), pos, and
 *      layout_seq again.  If it is odd or has changed, begin again.  If pos is
 *      below layout_pos, take layout_pos in its place.
 *   2. Copy the rows in [max(own position, pos - size), pos).
 *   3. Read pos again, as pos2, then layout_seq.  One row can be in flight: if
 *      layout_seq is the same, it ends at pos2 + row_size at most, else at
 *      pos2 + 2 * XEN_SCHEDLOG_MAX_ROW_SIZE.  Of what was copied, everything
 *      below that end - size may have been overwritten: drop it, count it.
 *
 * Doorbell: a producer may have one (Xen: XEN_SYSCTL_SCHEDLOG_info names its
 * VIRQ), so that the scheduler need not poll logs without rows.  Every 10 ms
 * while any event is on, the producer notifies the scheduler of log buffers
 * whose pos has reached their mark, until the scheduler has set another mark.
 * (On an idle pCPU with no mark reached, the interval is 500 ms.)  Mark 0, as
 * after set-up, is none.  A log that ends, or its pCPU, gives no notification.
 *
 * A reader never writes, so there can be any number of them.  Readers must not
 * rely on each other: where the pages of a reader are mapped through a p2m
 * (PVH, HVM), it can write to STATE and DATA.
 *
 * Design: J. Stoess, "Using Operating System Instrumentation and Event Logging
 * to Support User-level Multiprocessor Schedulers", 2005, chapter 4.
 */

#ifndef __XEN_PUBLIC_SCHEDLOG_H__
#define __XEN_PUBLIC_SCHEDLOG_H__

#if !defined(__XEN__) && !defined(__XEN_TOOLS__)
#error "the log of scheduling facts is for node control tools only"
#endif

#include "xen.h"

/* Incremented if anything below changes its meaning, not if it grows. */
#define XEN_SCHEDLOG_ABI_VERSION        2

/*
 * Events.  Numbers are ABI: those from EV_OTHERS on are left to producers
 * outside of Xen, which define them.  The list has all numbers that are taken;
 * the events of a hypervisor are in its events_built mask.
 */
/* ns on the pCPU; current left it, correspondent got it */
#define XEN_SCHEDLOG_EV_SERVICE_NS      0
/* the same in TSC cycles */
#define XEN_SCHEDLOG_EV_SERVICE_TSC     1
/* current = sender, correspondent = receiver */
#define XEN_SCHEDLOG_EV_EVTCHN_SEND     2
/* the same as it reaches a vCPU; current = receiver */
#define XEN_SCHEDLOG_EV_EVTCHN_RECV     3
/* pages; current = the domain that maps, correspondent = the granter */
#define XEN_SCHEDLOG_EV_GRANT_MAP       4
#define XEN_SCHEDLOG_EV_GRANT_UNMAP     5
/* copies, each of a page at most; correspondent = the other end */
#define XEN_SCHEDLOG_EV_GRANT_COPY      6
/* pages which the domain has now */
#define XEN_SCHEDLOG_EV_MEMORY          7
/*
 * the run queue that serves this pCPU; current = ACCT_XEN: queue << 16 |
 * runnable units in it.  The queue is the first of the pCPUs that it serves,
 * all of which log it: count it once
 */
#define XEN_SCHEDLOG_EV_RUNQ            8
/*
 * ns between wake-up and running; correspondent = the holder of the pCPU until
 * then, which may be current itself, and ACCT_XEN if the pCPU idled.  NONE:
 * several had it in turn, as WAIT_PART details, or the holder is unknown
 */
#define XEN_SCHEDLOG_EV_WAKE_DELAY      9
/* the vCPU runs elsewhere: from pCPU << 16 | to pCPU */
#define XEN_SCHEDLOG_EV_MIGRATE        10
/* the guest's own code */
#define XEN_SCHEDLOG_EV_MARK           11
/* the same as WAKE_DELAY between being preempted, or yielding, and running */
#define XEN_SCHEDLOG_EV_PREEMPT_DELAY  12
/*
 * ns of one of these waits, whose row has no correspondent, during which
 * correspondent had the pCPU: follows that row in the same log of a pCPU.  Has
 * no threshold of its own
 */
#define XEN_SCHEDLOG_EV_WAIT_PART      13
/*
 * the vCPU runs again: see XEN_SCHEDLOG_OFF_*; correspondent = the domain that
 * woke it, which may be current itself.  NONE: no domain did
 */
#define XEN_SCHEDLOG_EV_OFF_CPU        14
/* rtds begins a new period of the vCPU: see XEN_SCHEDLOG_REPLENISH_* */
#define XEN_SCHEDLOG_EV_REPLENISH      15
/* performance counters, counts since the accounting domain entered */
#define XEN_SCHEDLOG_EV_PMC0           16
#define XEN_SCHEDLOG_EV_PMC1           17
#define XEN_SCHEDLOG_EV_PMC2           18
#define XEN_SCHEDLOG_EV_PMC3           19
/*
 * Xen's work for current, by reason, as sums since the last row of the same:
 * see XEN_SCHEDLOG_WORK_*.  An instant is part of the innermost work alone.
 * Logged at each tick, if there was any, with correspondent NONE.  These have
 * no threshold
 */
#define XEN_SCHEDLOG_EV_HYPERCALL_TIME 20
/* interrupts and softirqs; current = the domain that was interrupted */
#define XEN_SCHEDLOG_EV_IRQ_TIME       21
/* exits of HVM and PVH guests */
#define XEN_SCHEDLOG_EV_EXIT_TIME      22
/* waits until other pCPUs have flushed what Xen asked them to flush */
#define XEN_SCHEDLOG_EV_FLUSH_WAIT     23
#define XEN_SCHEDLOG_EV_OTHERS         24
/* Event numbers are below this; also the row length of the routes. */
#define XEN_SCHEDLOG_NR_EVENTS         32

/*
 * The same as a list for programs that print events: X(NAME, "name", kind)
 *
 * kind defines the counter of a row:
 *   exit      a resource was released; counter is the usage.  Usage that has
 *             not ended is reported in parts at each tick, with correspondent
 *             NONE; for an idle pCPU every 500 ms.
 *   access    a resource was accessed; counter is how often (or how many)
 *   change    a property changed; counter is its new value
 *   periodic  a property was sampled; counter is its value
 */
#define XEN_SCHEDLOG_EVENTS(X)               \
    X(SERVICE_NS,  "service-ns",  exit)      \
    X(SERVICE_TSC, "service-tsc", exit)      \
    X(EVTCHN_SEND, "evtchn-send", access)    \
    X(EVTCHN_RECV, "evtchn-recv", access)    \
    X(GRANT_MAP,   "grant-map",   access)    \
    X(GRANT_UNMAP, "grant-unmap", access)    \
    X(GRANT_COPY,  "grant-copy",  access)    \
    X(MEMORY,      "memory",      change)    \
    X(RUNQ,        "runq",        periodic)  \
    X(WAKE_DELAY,  "wake-delay",  exit)      \
    X(MIGRATE,     "migrate",     change)    \
    X(MARK,        "mark",        access)    \
    X(PREEMPT_DELAY, "preempt-delay", exit)  \
    X(WAIT_PART,   "wait-part",   exit)      \
    X(OFF_CPU,     "off-cpu",     change)    \
    X(REPLENISH,   "replenish",   change)    \
    X(PMC0,        "pmc0",        exit)      \
    X(PMC1,        "pmc1",        exit)      \
    X(PMC2,        "pmc2",        exit)      \
    X(PMC3,        "pmc3",        exit)      \
    X(HYPERCALL_TIME, "hypercall-time", change) \
    X(IRQ_TIME,    "irq-time",    change)    \
    X(EXIT_TIME,   "exit-time",   change)    \
    X(FLUSH_WAIT,  "flush-wait",  change)

/* The counter of a row of RUNQ. */
#define XEN_SCHEDLOG_RUNQ_QUEUE_SHIFT   16
#define XEN_SCHEDLOG_RUNQ_LENGTH_MASK   0xffffU /* saturates */

/*
 * The counter of a row of OFF_CPU.  For how long the vCPU was off the pCPUs, in
 * 512 ns, saturating; what woke it, if it blocked or polled; whether a pause or
 * the end of its budget kept it from running meanwhile; why it had left.
 */
#define XEN_SCHEDLOG_OFF_TIME_MASK      0x7fffffU
#define XEN_SCHEDLOG_OFF_TIME_SHIFT     9 /* ns >> SHIFT, rounded */
#define XEN_SCHEDLOG_OFF_WOKE_SHIFT     23
#define XEN_SCHEDLOG_OFF_WOKE_MASK      7U
#define XEN_SCHEDLOG_OFF_PAUSED         (1U << 26)
#define XEN_SCHEDLOG_OFF_CAPPED         (1U << 27)
#define XEN_SCHEDLOG_OFF_LEFT_SHIFT     28
#define XEN_SCHEDLOG_LEFT_PREEMPTED     0U
#define XEN_SCHEDLOG_LEFT_BLOCKED       1U
#define XEN_SCHEDLOG_LEFT_POLLING       2U /* SCHEDOP_poll */
#define XEN_SCHEDLOG_LEFT_YIELDED       3U /* SCHEDOP_yield */
#define XEN_SCHEDLOG_LEFT_SPINNING      4U /* a pause-loop exit: Xen yields */
#define XEN_SCHEDLOG_LEFT_PAUSED        5U
#define XEN_SCHEDLOG_LEFT_CAPPED        6U /* its cap, budget, or slot */
#define XEN_SCHEDLOG_LEFT_IN_XEN        7U /* as for a device model */
#define XEN_SCHEDLOG_LEFT_MIGRATED      8U /* it moves to another pCPU */
#define XEN_SCHEDLOG_WOKE_OTHER         0U
#define XEN_SCHEDLOG_WOKE_EVTCHN        1U /* correspondent: the sender */
#define XEN_SCHEDLOG_WOKE_IPI           2U /* correspondent: its own domain */
#define XEN_SCHEDLOG_WOKE_TIMER         3U
#define XEN_SCHEDLOG_WOKE_VIRQ          4U /* but for the timer's */
#define XEN_SCHEDLOG_WOKE_PIRQ          5U

/*
 * The counter of a row of REPLENISH: ns of the former budget that were left,
 * saturating.  MISSED: at its deadline the vCPU wanted to run, had budget left,
 * and had been runnable for at least the length of the budget.
 */
#define XEN_SCHEDLOG_REPLENISH_LEFT_MASK 0x7fffffffU
#define XEN_SCHEDLOG_REPLENISH_MISSED    (1U << 31)

/*
 * The counter of a row of HYPERCALL_TIME, IRQ_TIME, EXIT_TIME and FLUSH_WAIT,
 * which has 64 bits: ns, how often, and why.  Time and number saturate.
 */
#define XEN_SCHEDLOG_WORK_TIME_MASK     0xffffffffU
#define XEN_SCHEDLOG_WORK_COUNT_SHIFT   32
#define XEN_SCHEDLOG_WORK_COUNT_MASK    0x3fffffU
#define XEN_SCHEDLOG_WORK_REASON_SHIFT  54
#define XEN_SCHEDLOG_WORK_REASON_BITS   10
#define XEN_SCHEDLOG_WORK_OTHER         0x3ffU

/* Reasons of HYPERCALL_TIME are __HYPERVISOR_*; those of IRQ_TIME: */
#define XEN_SCHEDLOG_IRQ_GUEST          0U /* a device of a domain */
#define XEN_SCHEDLOG_IRQ_XEN            1U /* a device that Xen uses */
#define XEN_SCHEDLOG_IRQ_TIMER          2U
#define XEN_SCHEDLOG_IRQ_FLUSH          3U /* by other pCPUs, like the next */
#define XEN_SCHEDLOG_IRQ_EVENT_CHECK    4U
#define XEN_SCHEDLOG_IRQ_CALL           5U
#define XEN_SCHEDLOG_IRQ_OTHER          6U
#define XEN_SCHEDLOG_SOFTIRQ_TIMER     16U
#define XEN_SCHEDLOG_SOFTIRQ_SCHEDULE  17U
#define XEN_SCHEDLOG_SOFTIRQ_RCU       18U
#define XEN_SCHEDLOG_SOFTIRQ_TASKLET   19U
#define XEN_SCHEDLOG_SOFTIRQ_OTHER     20U

/*
 * Reasons of EXIT_TIME: Intel's basic exit reasons; EXIT_SVM plus AMD's exit
 * codes, with those from EXIT_NPF_CODE on being EXIT_NPF and more.
 */
#define XEN_SCHEDLOG_EXIT_SVM         512U
#define XEN_SCHEDLOG_EXIT_NPF         768U
#define XEN_SCHEDLOG_EXIT_NPF_CODE  0x400U

/* Reasons of FLUSH_WAIT. */
#define XEN_SCHEDLOG_FLUSH_TLB          0U
#define XEN_SCHEDLOG_FLUSH_STATE        1U /* of a vCPU that ran there */
#define XEN_SCHEDLOG_FLUSH_OTHER        2U /* caches and more */

#define XEN_SCHEDLOG_ACCT_REST          0U /* domains that are not bound */
#define XEN_SCHEDLOG_ACCT_XEN           1U /* idle vCPUs, the pCPU itself */
#define XEN_SCHEDLOG_ACCT_FIRST         2U /* the scheduler's own numbers */
#define XEN_SCHEDLOG_ACCT_NONE     0xffffU /* correspondent: there is none */

/* Limits.  nr_acct and nr_files are powers of two. */
#define XEN_SCHEDLOG_MAX_ACCT       32768U
#define XEN_SCHEDLOG_MAX_FILES       1024U
#define XEN_SCHEDLOG_MIN_FILE_SIZE     16U /* bytes; sizes are powers of two */
#define XEN_SCHEDLOG_MAX_FILE_SIZE (16U << 20)
#define XEN_SCHEDLOG_MAX_ROW_SIZE      64U /* bytes */

/*
 * Log control register.
 *
 * A row is the C struct which has the selected entries as its members, in
 * the order of this list, each aligned to its own size (also that of 64 bits,
 * on any architecture), its size rounded up to a power of two and to at least
 * 1 << PAD bytes.  All in the producer's byte order.
 *
 *   uint16_t event;            with REASON: number | reason << 8
 *   uint16_t current;          accounting domain
 *   uint16_t correspondent;    accounting domain
 *   uint32_t counter;          or uint64_t with COUNTER64; saturates at ~0
 *   uint32_t timestamp;        or uint64_t with TIME64; see TIME_*
 *
 * With no entry selected, or with a row larger than its log buffer, nothing is
 * written.  With ADD the counter is added to the one that is in the row
 * already: a log buffer of one row then counts.  If there are more rows they
 * take turns, and their sum is what was counted.
 */
#define XEN_SCHEDLOG_LCR_EVENT          (1U << 0)
#define XEN_SCHEDLOG_LCR_CURRENT        (1U << 1)
#define XEN_SCHEDLOG_LCR_CORRESPONDENT  (1U << 2)
#define XEN_SCHEDLOG_LCR_COUNTER        (1U << 3)
#define XEN_SCHEDLOG_LCR_COUNTER64      (1U << 4) /* only with COUNTER */
#define XEN_SCHEDLOG_LCR_TIME_MASK      (3U << 5)
#define XEN_SCHEDLOG_LCR_TIME_NONE      (0U << 5)
#define XEN_SCHEDLOG_LCR_TIME_VIRTUAL   (1U << 5) /* counts rows of the pCPU */
#define XEN_SCHEDLOG_LCR_TIME_TICK      (2U << 5) /* system time, 10 ms */
#define XEN_SCHEDLOG_LCR_TIME_TSC       (3U << 5) /* TSC >> SHIFT */
#define XEN_SCHEDLOG_LCR_TIME64         (1U << 7) /* only with a TIME_* */
#define XEN_SCHEDLOG_LCR_ADD            (1U << 8)
#define XEN_SCHEDLOG_LCR_PAD_SHIFT      9         /* 3 bits, 7 means 6 */
#define XEN_SCHEDLOG_LCR_PAD_MASK       (7U << XEN_SCHEDLOG_LCR_PAD_SHIFT)
#define XEN_SCHEDLOG_LCR_TSC_SHIFT      12        /* 6 bits: 0 ... 63 */
#define XEN_SCHEDLOG_LCR_TSC_MASK       (63U << XEN_SCHEDLOG_LCR_TSC_SHIFT)
#define XEN_SCHEDLOG_LCR_REASON         (1U << 18) /* only with EVENT */

/*
 * With REASON, rows of WAKE_DELAY and PREEMPT_DELAY state how the vCPU came to
 * wait.  The reason of other rows is 0.  Waits that end without a run have rows
 * only with REASON: the vCPU was paused, or is queued for another pCPU.
 */
#define XEN_SCHEDLOG_REASON_SHIFT       8
#define XEN_SCHEDLOG_REASON_LEFT_MASK   0xfU  /* LEFT_*, unless SLEPT */
#define XEN_SCHEDLOG_REASON_WOKE_MASK   0x7U  /* WOKE_*, if SLEPT */
#define XEN_SCHEDLOG_REASON_POLLED      0x8U  /* if SLEPT: by SCHEDOP_poll */
#define XEN_SCHEDLOG_REASON_SLEPT       0x10U /* it blocked, or polled */
#define XEN_SCHEDLOG_REASON_PAUSED      0x20U /* as OFF_PAUSED and */
#define XEN_SCHEDLOG_REASON_CAPPED      0x40U /* OFF_CAPPED */
#define XEN_SCHEDLOG_REASON_CUT         0x80U /* the wait ended without a run */

/*
 * Route of (accounting domain, event), looked up with the accounting domain
 * which is current.  All zero (as after set-up) means: not logged.
 *
 *   bits  0 ... 31  threshold: every threshold-th event makes a row.
 *                   0 and 1: each event does.
 *   bits 32 ... 47  log buffer, modulo nr_files
 *   bit  63         valid
 */
#define XEN_SCHEDLOG_ROUTE_FILE_SHIFT   32
#define XEN_SCHEDLOG_ROUTE_FILE_MASK    0xffffU
#define XEN_SCHEDLOG_ROUTE_VALID        (1ULL << 63)

/* Written by the producer. One cache line per log buffer. */
struct xen_schedlog_state {
    /* Bytes ever written. Never decreases. The next row goes to pos % size. */
    uint64_t pos;
    /*
     * Layout: rows in [layout_pos, pos) are as lcr says, row_size bytes each,
     * the first one at layout_pos, which is a multiple of row_size.  Rows
     * below layout_pos - layout_gap were written with an older register; the
     * bytes in between belong to no row.  layout_seq is odd while the four are
     * being changed and grows by two with each change, which happens when the
     * first event after a change of the register comes.  Before the first
     * event everything is 0.
     */
    uint64_t layout_pos;
    uint32_t lcr;
    uint32_t row_size; /* 0: nothing is written */
    uint32_t layout_seq;
    uint32_t layout_gap; /* bytes, below XEN_SCHEDLOG_MAX_ROW_SIZE */
    uint32_t pad[8];
};

/* First page of the region GLOBAL. */
struct xen_schedlog_header {
    /* Incremented by the scheduler as a sign of life, if it has a lease. */
    uint64_t lease;
    uint64_t pad[7];
};

/* Offset of route[0][0] in the region GLOBAL, in bytes. */
#define XEN_SCHEDLOG_ROUTES_OFFSET      4096U

/* Offset of mark[0] in CONTROL, in bytes: in no cache line with registers. */
#define XEN_SCHEDLOG_MARKS_OFFSET(nr_files) \
    (((uint32_t)(nr_files) * 4U + 63U) & ~63U)

/* Where a log buffer is in the region DATA of each pCPU. */
struct xen_schedlog_file {
    uint32_t offset; /* bytes */
    uint32_t size;   /* bytes, a power of two */
};
typedef struct xen_schedlog_file xen_schedlog_file_t;
DEFINE_XEN_GUEST_HANDLE(xen_schedlog_file_t);

#endif /* __XEN_PUBLIC_SCHEDLOG_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
