/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock.h - the TSC that a vCPU reads, against the host's.
 *
 * A pair of readings of the same instant and the rates of both.  Pure
 * functions; any numbers are harmless.
 */
#ifndef XENSCHED_CLOCK_H
#define XENSCHED_CLOCK_H

#include <stdint.h>

#include <xensched/error.h>

/* It follows Xen's system time instead of a TSC: it is emulated. */
#define XENSCHED_CLOCK_EMULATED (1U << 0)
/* Of system time: Xen found no difference between the TSCs of pCPUs. */
#define XENSCHED_CLOCK_ONE_TSC (1U << 1)

struct xensched_clock {
    uint32_t vcpu;
    uint32_t flags;
    uint64_t host_tsc;  /* at some instant ... */
    uint64_t guest_tsc; /* ... which was this for the vCPU */
    uint64_t host_khz, guest_khz; /* 0: taken for equal */
    uint64_t error; /* bound, in cycles of the host */
};

/* The host's TSC when the vCPU's was @guest_tsc, and the other way round. */
uint64_t xensched_clock_to_host(const struct xensched_clock *clock,
                                uint64_t guest_tsc);
uint64_t xensched_clock_to_guest(const struct xensched_clock *clock,
                                 uint64_t host_tsc);

/*
 * Cycles of the host by which the two differ in what they say of the instant
 * at which @b was read.
 */
uint64_t xensched_clock_distance(const struct xensched_clock *a,
                                 const struct xensched_clock *b);

/* Cycles at @khz as ns; 0 kHz: taken for 1 GHz. */
uint64_t xensched_cycles_to_ns(uint64_t cycles, uint64_t khz);

/*
 * The clocks of vCPUs 0 to @nr - 1 of domain @domid, from Xen, which takes both
 * TSCs of each at one instant: of PV, PVH and HVM domains, whatever set their
 * TSC.  Of a vCPU that is not there: that of vCPU 0.
 *
 *   -EOPNOTSUPP, -ENOSYS  this Xen does not know how
 *   -ENODATA              it stands still while a vCPU does not run: Xen emulates it,
 *                         in an HVM or PVH domain whose timer_mode is to delay for
 *                         missed ticks, as a PVH dom0's is
 *   -ESRCH, -EPERM, ...   as Xen says
 */
int xensched_clocks_of_domain(uint32_t domid, uint32_t nr,
                              struct xensched_clock *clocks,
                              struct xensched_error *err);

/*
 * The same of Xen's system time, which mini-os gives unikernels as their clock:
 * guest_tsc is ns, guest_khz 1000000.  Its flags say whether all pCPUs have one TSC.
 */
int xensched_system_time(struct xensched_clock *clock,
                         struct xensched_error *err);

/*
 * The time stamp that Xen would give to a row now: the TSC on x86, the physical counter on
 * Arm.  A Linux denies its programs the physical counter, so there it is the virtual one
 * and what Xen reports as the distance of both in dom0; without Xen, the virtual one.
 */
uint64_t xensched_time_stamp(void);

#endif /* XENSCHED_CLOCK_H */
