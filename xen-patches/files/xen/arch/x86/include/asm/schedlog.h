/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of scheduling facts: what is particular to x86.
 */
#ifndef X86_SCHEDLOG_H
#define X86_SCHEDLOG_H

#include <xen/mm.h>
#include <xen/time.h> /* Also rdtsc(), from where the release has it. */

/* The time stamp of rows; info reports its rate as cpu_khz. */
#define schedlog_tsc() rdtsc()
#define schedlog_tsc_to_ns(ticks) tsc_ticks2ns(ticks)

/* Flags of map_pages_to_xen(): page tables alone; never a superpage. */
#define SCHEDLOG_MAP_NOTHING MAP_SMALL_PAGES
#define SCHEDLOG_MAP_PAGE (PAGE_HYPERVISOR | MAP_SMALL_PAGES)

/* The word which names the owner of a page, read once; and that owner. */
#define schedlog_owner_word(pg) ACCESS_ONCE((pg)->v.inuse._domain)
#define schedlog_owner(word) pdx_to_virt(word)

#endif /* X86_SCHEDLOG_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
