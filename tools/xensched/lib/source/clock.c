/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Converts between the TSC that a vCPU reads and the host's.  Numbers may come from a file, so all
 * arithmetic wraps.
 */
#include <xensched/clock.h>

/* Converts @cycles of a clock with rate @from to a clock with rate @to. */
static uint64_t scale_cycles(int64_t cycles, uint64_t from, uint64_t to)
{
    uint64_t size = cycles < 0 ? -(uint64_t)cycles : (uint64_t)cycles;

    if (from && to && from != to)
        size = (unsigned __int128)size * to / from;

    return cycles < 0 ? -size : size;
}

uint64_t xensched_clock_to_host(const struct xensched_clock *c,
                                uint64_t guest_tsc)
{
    return c->host_tsc + scale_cycles((int64_t)(guest_tsc - c->guest_tsc),
                                      c->guest_khz, c->host_khz);
}

uint64_t xensched_clock_to_guest(const struct xensched_clock *c,
                                 uint64_t host_tsc)
{
    return c->guest_tsc + scale_cycles((int64_t)(host_tsc - c->host_tsc),
                                       c->host_khz, c->guest_khz);
}

uint64_t xensched_clock_distance(const struct xensched_clock *a,
                                 const struct xensched_clock *b)
{
    int64_t d = (int64_t)(xensched_clock_to_host(a, b->guest_tsc) -
                          b->host_tsc);

    return d < 0 ? -(uint64_t)d : (uint64_t)d;
}

uint64_t xensched_cycles_to_ns(uint64_t cycles, uint64_t khz)
{
    return (unsigned __int128)cycles * 1000000 / (khz ? khz : 1000000);
}
