/* SPDX-License-Identifier: MIT */
/*
 * linux-events.h - the events that a Linux logs, with numbers that Xen's
 * <xen/schedlog.h> reserves for others, and the counters of their rows.
 *
 * It includes nothing, so that the modules of Linux can use the same file.
 */
#ifndef XENSCHED_LINUX_EVENTS_H
#define XENSCHED_LINUX_EVENTS_H

/*
 * Back ends, per completed ring request: shared pages; sectors << 3 | operation
 * (BLKIF_OP_*; 7: any other)
 */
#define XEN_SCHEDLOG_EV_RING_PAGES     24
#define XEN_SCHEDLOG_EV_RING_SECTORS   25
/* The counter of RING_SECTORS.  @sectors has 64 bits. */
#define XEN_SCHEDLOG_RING_SECTORS(operation, sectors) \
    ((sectors) << 3 | ((operation) < 7 ? (operation) : 7))
/* Guests: number of runnable tasks, logged at their own scheduling points */
#define XEN_SCHEDLOG_EV_GUEST_RUNQ     26
/*
 * Threads: one leaves a vCPU and another one gets it; one makes another one
 * runnable; the name of one.  Counters below
 */
#define XEN_SCHEDLOG_EV_GUEST_SWITCH   27
#define XEN_SCHEDLOG_EV_GUEST_WAKE     28
#define XEN_SCHEDLOG_EV_GUEST_NAME     29
/*
 * Sectors of a request of a thread to a back end; sectors of completed requests
 * of a process.  Counters below
 */
#define XEN_SCHEDLOG_EV_GUEST_REQUEST  30
#define XEN_SCHEDLOG_EV_PROCESS_IO     31

/* In the form of XEN_SCHEDLOG_EVENTS(). */
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
 * PROCESS_IO need 64 bits.  In each, bits 0 ... 21 are the PID of a thread in
 * the initial namespace of its Linux: of the thread that gets the vCPU, that is
 * woken, that has the name, that makes the request.  PID 0 is a vCPU's idle
 * thread.
 *
 * GUEST_SWITCH: bits 22 ... 43 are the PID of the thread that leaves, 44 ... 51
 * the letter of its state in ps(1), such as 'S', and PREEMPTED means that it is
 * still runnable.  GUEST_WAKE: bits 22 ... 43 are the PID of the running thread,
 * and INTERRUPT means that an interrupt woke the thread.
 *
 * GUEST_NAME: bits 22 and 23 are the part.  Parts 0 to 2 are five bytes of the
 * name each, from bit 24 on, lowest first, padded with zeroes; part 0 comes
 * first and begins a new name.  Part 3 is the PID of the thread's process.
 *
 * GUEST_REQUEST: bits 22 ... 63 are sectors of 512 bytes; PID 0 means that an
 * interrupt made the request.  PROCESS_IO: the same with the PID of a process;
 * the sectors are those of all its threads since its previous row.  A row of
 * PROCESS_IO without a correspondent has a part of the process's name instead,
 * as parts 0 to 2 of GUEST_NAME.
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
#define XEN_SCHEDLOG_NAME_PROCESS       3U /* a part */
#define XEN_SCHEDLOG_SECTORS_SHIFT      22

#endif /* XENSCHED_LINUX_EVENTS_H */
