/* SPDX-License-Identifier: MIT */
/*
 * linux-events.h - events of logs that a Linux writes: numbers which Xen's
 * <xen/schedlog.h> leaves to others, and what the counters of their rows are.
 *
 * It needs nothing, so that modules of Linux have the same one.
 */
#ifndef XENSCHED_LINUX_EVENTS_H
#define XENSCHED_LINUX_EVENTS_H

/*
 * Back ends, per completed ring request: shared pages; sectors << 3 | operation
 * (BLKIF_OP_*, 7: any other)
 */
#define XEN_SCHEDLOG_EV_RING_PAGES     24
#define XEN_SCHEDLOG_EV_RING_SECTORS   25
/* The counter of RING_SECTORS.  @sectors has 64 bits. */
#define XEN_SCHEDLOG_RING_SECTORS(operation, sectors) \
    ((sectors) << 3 | ((operation) < 7 ? (operation) : 7))
/* Guests: runnable tasks at their own scheduling points */
#define XEN_SCHEDLOG_EV_GUEST_RUNQ     26
/*
 * Threads: one leaves a vCPU, another one gets it; one makes another one
 * runnable; what one is called.  Counters below
 */
#define XEN_SCHEDLOG_EV_GUEST_SWITCH   27
#define XEN_SCHEDLOG_EV_GUEST_WAKE     28
#define XEN_SCHEDLOG_EV_GUEST_NAME     29
/*
 * Sectors that a thread asks a back end for; and the same completed: that a
 * process does.  Counters below
 */
#define XEN_SCHEDLOG_EV_GUEST_REQUEST  30
#define XEN_SCHEDLOG_EV_PROCESS_IO     31

/* As XEN_SCHEDLOG_EVENTS() of Xen's. */
#define XENSCHED_LINUX_EVENTS(X)                \
    X(RING_PAGES,    "ring-pages",    access)   \
    X(RING_SECTORS,  "ring-sectors",  access)   \
    X(GUEST_RUNQ,    "guest-runq",    periodic) \
    X(GUEST_SWITCH,  "guest-switch",  change)   \
    X(GUEST_WAKE,    "guest-wake",    access)   \
    X(GUEST_NAME,    "guest-name",    change)   \
    X(GUEST_REQUEST, "guest-request", access)   \
    X(PROCESS_IO,    "process-io",    access)

/*
 * The counters of GUEST_SWITCH, GUEST_WAKE, GUEST_NAME, GUEST_REQUEST and
 * PROCESS_IO need 64 bits.  In each, bits 0 ... 21 are the PID of a thread as
 * the initial namespace of its Linux has it: of the one that gets the vCPU, of
 * the one that is woken, of the one that is named, of the one that asks.  PID 0
 * is a vCPU's idle thread.
 *
 * GUEST_SWITCH: bits 22 ... 43 are the PID of the one that leaves, 44 ... 51
 * the letter that ps(1) has for its state, such as 'S', and PREEMPTED says that
 * it would have gone on.  GUEST_WAKE: bits 22 ... 43 are the PID of the one
 * that ran then, and INTERRUPT says that it was an interrupt that woke.
 *
 * GUEST_NAME: bits 22 and 23 are the part.  Parts 0 to 2 are five bytes of the
 * name each, from bit 24 on, lowest first, filled up with zeroes; part 0 comes
 * first and begins a new name.  Part 3 is the PID of its process.
 *
 * GUEST_REQUEST: bits 22 ... 63 are sectors of 512 bytes, and PID 0 says that
 * it was an interrupt that asked.  PROCESS_IO: the same, where the PID is that
 * of a process, and the sectors are those of all its threads since its row
 * before this one.  Without a correspondent it is no request, but what the
 * process is called: as GUEST_NAME, parts 0 to 2.
 */
#define XEN_SCHEDLOG_PID_MASK           0x3fffffU
#define XEN_SCHEDLOG_OTHER_PID_SHIFT    22
#define XEN_SCHEDLOG_SWITCH_STATE_SHIFT 44
#define XEN_SCHEDLOG_SWITCH_PREEMPTED   (1ULL << 52)
#define XEN_SCHEDLOG_WAKE_INTERRUPT     (1ULL << 44)
#define XEN_SCHEDLOG_NAME_PART_SHIFT    22
#define XEN_SCHEDLOG_NAME_PART_MASK     3U
#define XEN_SCHEDLOG_NAME_TEXT_SHIFT    24
#define XEN_SCHEDLOG_NAME_TEXT_BYTES    5
#define XEN_SCHEDLOG_NAME_PROCESS       3U /* the part */
#define XEN_SCHEDLOG_SECTORS_SHIFT      22

#endif /* XENSCHED_LINUX_EVENTS_H */
