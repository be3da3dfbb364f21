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
 * The clock of all vCPUs of domain @domid, from Xen, which pauses the domain
 * for a moment; @host_khz is the host's.  The error is half of the time that
 * asking took.  The domain that asks has the host's TSC.
 *
 *   -EOPNOTSUPP  it is PVH or HVM: Xen does not tell its TSC offset
 *   -ESRCH, -EPERM, ...  as Xen says
 */
int xensched_clock_of_domain(uint32_t domid, uint64_t host_khz,
                             struct xensched_clock *clock,
                             struct xensched_error *err);

#endif /* XENSCHED_CLOCK_H */
