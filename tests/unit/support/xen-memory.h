/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen-memory.h - the hypervisor's memory, for any number of pCPUs: counted pages, linear addresses,
 * and RCU.  world.h, which stands for Xen's headers, comes before it.
 */
#ifndef TESTS_UNIT_XEN_MEMORY_H
#define TESTS_UNIT_XEN_MEMORY_H

#define NR_PAGES (1U << 18)
#define PAGE(mfn) ((void *)(((unsigned long)(mfn) + 1) << PAGE_SHIFT))

extern struct page_info pages[NR_PAGES];
extern unsigned int nr_used;   /* number of pages */
extern unsigned int nr_blocks; /* number of small blocks */
extern unsigned int nr_shared; /* number of shared pages, ever */
extern unsigned int nr_flushes; /* number of flushes of all pCPUs' TLBs */

/* Returns the frame of a linear address. */
unsigned long *frame_at(const void *va);

/* Called, if there is one, before pages are unmapped. */
extern void (*while_unmapping)(void);

/* Ends the work of each step after it.  Returns the number of steps. */
extern bool preempting;
extern unsigned int steps;

/* Calls the functions that wait for a grace period. */
void grace_period(void);

#endif /* TESTS_UNIT_XEN_MEMORY_H */
