/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * llc.h - which pCPUs share a last-level cache (LLC), by what the processor
 * says and by what an operator has named.
 *
 * What is found is filled in before topology_make_places().  pCPUs about which
 * nothing is known are left as they are: see struct topology_cpu.
 */
#ifndef XENSCHED_HOST_LLC_H
#define XENSCHED_HOST_LLC_H

#include <stdint.h>

#include <xensched/error.h>

#include "model/topology.h"

/* For a pCPU without APIC id, and when CPUID says nothing of an LLC. */
#define LLC_UNKNOWN (~0U)

/*
 * pCPUs whose APIC ids are equal without this many of their lowest bits share the LLC.
 * @eax is that of the subleaf of CPUID's leaf 4, or AMD's 0x8000001d, that describes it.
 */
unsigned int llc_shift(uint32_t eax);

/*
 * The LLCs of pCPUs which have these APIC ids.  False, and nothing is known:
 * one has none, or what is said makes no sense, such as two LLCs of one core;
 * or no LLC is shared, so that it is of no use to know it.
 */
bool llc_of_host(struct topology *t, const uint32_t *apic_ids,
                 unsigned int shift);

/* Can it be a list of LLCs, such as "0-3,8-11/4-7"?  Each pCPU once. */
bool llc_is_list(const char *text);

/*
 * What an operator has named comes before what the host says; which stays for
 * the others.  -EINVAL, and nothing has changed: this host's cannot be so.
 */
int llc_named(struct topology *t, const char *text,
              struct xensched_error *err);

/*
 * Is a cache of the list no block of pCPUs?  Xen numbers those that are there at boot
 * by their APIC ids, which makes blocks of caches; Linux and lscpu number them
 * otherwise.  *@odd says which, and how to find out.
 */
bool llc_is_odd(const struct topology *t, const char *text,
                struct xensched_error *odd);

#endif /* XENSCHED_HOST_LLC_H */
