/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the memory of the log; private to the module.
 *
 * Callers hold xensched_log_mutex, except sites and where a comment says so.
 */
#ifndef XENSCHED_AREA_H
#define XENSCHED_AREA_H

#include <linux/kref.h>
#include <linux/mm_types.h>
#include <linux/percpu-defs.h>
#include <linux/rcupdate.h>

#include "schedlog-record.h"

/* As Xen numbers them, in its sysctl.h. */
enum xensched_region_nr {
	XENSCHED_REGION_GLOBAL,
	XENSCHED_REGION_CONTROL,
	XENSCHED_REGION_STATE,
	XENSCHED_REGION_DATA,
};

/* Pages shared with the scheduler; each mapping has a reference. */
struct xensched_region {
	struct kref ref;
	void *va;
	unsigned int nr_pages;
	struct page *pages[];
};

/* The layout of the area.  nr_acct is 0: there is none. */
struct xensched_geometry {
	u32 nr_acct, nr_files, data_size;
	struct xen_schedlog_file *files;
};

/* NULL: this CPU has no area.  For sites, with interrupts off. */
DECLARE_PER_CPU(struct schedlog_cpu __rcu *, xensched_log_cpu);

const struct xensched_geometry *xensched_geometry(void);

/* Each area has a different number; 0: there is none. */
u64 xensched_area_number(void);

u64 xensched_max_bytes(void);
u64 xensched_used_bytes(void);

/* On success takes over @geometry->files, which kvfree() frees later. */
int xensched_create_area(const struct xensched_geometry *geometry);

/* No event may be on. */
void xensched_destroy_area(void);

/* NULL: no area, no such CPU, no such region. */
struct xensched_region *xensched_find_region(unsigned int region,
					     unsigned int cpu);

/*
 * Finds a region without the mutex, and takes a reference.  The region may be
 * one of an area that is about to go, or that is not complete.
 */
struct xensched_region *xensched_get_region(unsigned int region,
					    unsigned int cpu);

/* For each CPU that has one, and for a CPU that has none. */
unsigned int xensched_region_pages(enum xensched_region_nr region);

/* NULL: no memory.  This and the next one need no mutex. */
struct xensched_region *xensched_alloc_region(size_t size, int node);
void xensched_put_region(struct xensched_region *region);

#endif /* XENSCHED_AREA_H */
