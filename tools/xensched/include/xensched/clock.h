/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock.h - relates the TSC that a vCPU reads to the host's.
 *
 * A clock is a pair of readings at one instant and the rates of both.  Conversions are pure
 * functions and accept any numbers.
 */
#ifndef XENSCHED_CLOCK_H
#define XENSCHED_CLOCK_H

#include <stdint.h>

#include <xensched/error.h>

/* The clock is emulated: it follows Xen's system time instead of a TSC. */
#define XENSCHED_CLOCK_EMULATED (1U << 0)
/* For system time: Xen found no difference between the TSCs of pCPUs. */
#define XENSCHED_CLOCK_ONE_TSC (1U << 1)

struct xensched_clock {
    uint32_t vcpu;
    uint32_t flags;
    uint64_t host_tsc;  /* the host's TSC at some instant */
    uint64_t guest_tsc; /* the vCPU's TSC at the same instant */
    uint64_t host_khz, guest_khz; /* 0: both rates count as equal */
    uint64_t error;     /* bound of the error, in cycles of the host */
};

/* Convert the vCPU's TSC to the host's, and the host's to the vCPU's. */
uint64_t xensched_clock_to_host(const struct xensched_clock *clock,
                                uint64_t guest_tsc);
uint64_t xensched_clock_to_guest(const struct xensched_clock *clock,
                                 uint64_t host_tsc);

/* The difference, in cycles of the host, of the two at the instant when @b was read. */
uint64_t xensched_clock_distance(const struct xensched_clock *a,
                                 const struct xensched_clock *b);

/* Converts cycles at @khz to ns; 0 kHz counts as 1 GHz. */
uint64_t xensched_cycles_to_ns(uint64_t cycles, uint64_t khz);

/*
 * Reads the clocks of vCPUs 0 to @nr - 1 of domain @domid.  Xen reads both TSCs of each vCPU at
 * one instant, for PV, PVH and HVM domains and any setting of their TSC.  A vCPU that does not
 * exist gets the clock of vCPU 0.
 *
 *   -EOPNOTSUPP, -ENOSYS  this Xen cannot do it
 *   -ENODATA              the clock stops while a vCPU does not run: Xen emulates it, in an HVM
 *                         or PVH domain whose timer_mode delays for missed ticks, such as a PVH
 *                         dom0
 *   -ESRCH, -EPERM, ...   other errors of Xen
 */
int xensched_clocks_of_domain(uint32_t domid, uint32_t nr,
                              struct xensched_clock *clocks,
                              struct xensched_error *err);

/*
 * Reads Xen's system time, which mini-os gives unikernels as their clock: guest_tsc is in ns,
 * guest_khz is 1000000.  The flags state whether all pCPUs have one TSC.
 */
int xensched_system_time(struct xensched_clock *clock,
                         struct xensched_error *err);

/*
 * The time stamp that Xen would give to a row now: the TSC on x86, the physical counter on Arm.
 * Linux denies its programs the physical counter, so on Arm this is the virtual counter plus the
 * distance of both that Xen reports for dom0; without Xen, the virtual counter.
 */
uint64_t xensched_time_stamp(void);

#endif /* XENSCHED_CLOCK_H */
