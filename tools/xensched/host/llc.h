/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * llc.h - finds the pCPUs that share a last-level cache (LLC), from Xen's numbers and from an
 * operator's list.
 *
 * Call these before topology_make_places().  pCPUs without information stay as they are: see
 * struct topology_cpu.
 */
#ifndef XENSCHED_HOST_LLC_H
#define XENSCHED_HOST_LLC_H

#include <stdint.h>

#include <xensched/error.h>

#include "model/topology/topology.h"

/* A pCPU whose LLC is unknown, in Xen's numbers (XEN_SCHEDLOG_NO_CACHE). */
#define LLC_UNKNOWN (~0U)

/*
 * Fills in the LLCs of pCPUs: those with the same number in @caches[@nr] share one.  Returns false,
 * and no LLC is known, if that of an online pCPU is not, if the result is impossible, such as two
 * LLCs of one core, or if no two pCPUs share one.
 */
bool llc_of_host(struct topology *t, const uint32_t *caches, unsigned int nr);

/* Is @text a list of LLCs, such as "0-3,8-11/4-7", that has each pCPU once? */
bool llc_is_list(const char *text);

/*
 * Replaces the LLCs of the pCPUs in an operator's list; the others keep theirs.  Returns -EINVAL
 * without a change if the list is impossible on this host.
 */
int llc_named(struct topology *t, const char *text,
              struct xensched_error *err);

/*
 * Does a cache of the list have pCPUs with gaps between their numbers?  Xen numbers the pCPUs at
 * boot by APIC id, so the pCPUs of a cache have consecutive numbers; Linux and lscpu number them
 * otherwise.  *@odd names the cache and a way to check the numbers.
 */
bool llc_is_odd(const struct topology *t, const char *text,
                struct xensched_error *odd);

#endif /* XENSCHED_HOST_LLC_H */
