/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen-memory.h - the hypervisor's memory, of as many pCPUs as a test wants: pages
 * that are counted, linear addresses, and RCU.  world.h, which is the headers
 * of Xen, comes before it.
 */
#ifndef TESTS_UNIT_XEN_MEMORY_H
#define TESTS_UNIT_XEN_MEMORY_H

#define NR_PAGES (1U << 18)
#define PAGE(mfn) ((void *)(((unsigned long)(mfn) + 1) << PAGE_SHIFT))

extern struct page_info pages[NR_PAGES];
extern unsigned int nr_used;   /* pages */
extern unsigned int nr_blocks; /* of small memory */
extern unsigned int nr_shared; /* pages, ever */
extern unsigned int nr_flushes; /* of the TLBs of all pCPUs */

/* The frame behind a linear address. */
unsigned long *frame_at(const void *va);

/* Each step is the last one for now; the number of steps. */
extern bool preempting;
extern unsigned int steps;

/* What waits for it is called. */
void grace_period(void);

#endif /* TESTS_UNIT_XEN_MEMORY_H */
