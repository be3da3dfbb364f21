/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of scheduling facts: what is particular to arm64.
 */
#ifndef ARM_SCHEDLOG_H
#define ARM_SCHEDLOG_H

#include <xen/mm.h>
#include <xen/time.h>

/*
 * The time stamp of rows is the physical counter, which all pCPUs share; info
 * reports its rate as cpu_khz.
 */
#define schedlog_tsc() get_cycles()
#define schedlog_tsc_to_ns(ticks) ticks_to_ns(ticks)

/* Flags of map_pages_to_xen(): page tables alone; never a superpage. */
#define SCHEDLOG_MAP_NOTHING _PAGE_POPULATE
#define SCHEDLOG_MAP_PAGE PAGE_HYPERVISOR

/* The word which names the owner of a page, read once; and that owner. */
#define schedlog_owner_word(pg) \
    ((unsigned long)ACCESS_ONCE((pg)->v.inuse.domain))
#define schedlog_owner(word) ((const struct domain *)(word))

#endif /* ARM_SCHEDLOG_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
