// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates the memory of the log: per CPU, on the CPU's own node, shared with
 * the scheduler.
 *
 * The layout is latched once and kept in private memory.  All possible CPUs
 * have their part, so CPUs can go online and offline.  Pages of a released
 * region stay while they are mapped, and count as used until then.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "area.h"
#include "control.h"

/* Readers in dom0 map pages of Xen's size; arm64's Linux can have larger ones. */
#if PAGE_SHIFT != 12
#error "the log needs a Linux with pages of 4 KiB"
#endif

static unsigned int max_mib = 256;
module_param(max_mib, uint, 0644);
MODULE_PARM_DESC(max_mib, "Limit to the memory of an area, in MiB (256)");

/* An operator may ask for too much; the allocation then fails. */
#define GFP_AREA (GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* A CPU's part. */
struct area_cpu {
	struct xensched_region *control, *state, *data;
	u32 *skipped;
	struct schedlog_cpu *cpu;
};

DEFINE_PER_CPU(struct schedlog_cpu __rcu *, xensched_log_cpu);

static DEFINE_PER_CPU(struct area_cpu, area_cpu);
static struct xensched_geometry geometry;
static u64 nr_areas;		/* Areas created so far. */
static struct xensched_region *global;
static atomic64_t used_bytes;

/*
 * Held when a pointer to a region changes, and when a mapping looks for one:
 * mmap() has mmap_lock, within which xensched_log_mutex is not taken.
 */
static DEFINE_SPINLOCK(regions_lock);

const struct xensched_geometry *xensched_geometry(void)
{
	return &geometry;
}

u64 xensched_area_number(void)
{
	return geometry.nr_acct ? nr_areas : 0;
}

u64 xensched_max_bytes(void)
{
	return (u64)READ_ONCE(max_mib) << 20;
}

u64 xensched_used_bytes(void)
{
	return atomic64_read(&used_bytes);
}

static void xensched_free_region(struct xensched_region *region)
{
	unsigned int i;

	vunmap(region->va);
	for (i = 0; i < region->nr_pages && region->pages[i]; i++) {
		__free_page(region->pages[i]);
		atomic64_sub(PAGE_SIZE, &used_bytes);
	}
	kvfree(region);
}

static void xensched_last_put(struct kref *ref)
{
	xensched_free_region(container_of(ref, struct xensched_region, ref));
}

void xensched_put_region(struct xensched_region *region)
{
	if (region)
		kref_put(&region->ref, xensched_last_put);
}

struct xensched_region *xensched_alloc_region(size_t size, int node)
{
	unsigned int i, nr = PFN_UP(size);
	struct xensched_region *region =
		kvzalloc(struct_size(region, pages, nr), GFP_AREA);

	if (!region)
		return NULL;

	kref_init(&region->ref);
	region->nr_pages = nr;
	for (i = 0; i < nr; i++) {
		region->pages[i] = alloc_pages_node(node, GFP_AREA, 0);
		if (!region->pages[i])
			goto fail;
		atomic64_add(PAGE_SIZE, &used_bytes);
	}
	region->va = vmap(region->pages, nr, VM_MAP, PAGE_KERNEL);
	if (region->va)
		return region;
fail:
	xensched_free_region(region);
	return NULL;
}

/* Takes over the reference to @region, and drops that to its predecessor. */
static void xensched_set_region(struct xensched_region **place,
				struct xensched_region *region)
{
	struct xensched_region *former = *place;

	spin_lock(&regions_lock);
	*place = region;
	spin_unlock(&regions_lock);
	xensched_put_region(former);
}

static size_t private_size(const struct xensched_geometry *g)
{
	return sizeof(struct schedlog_cpu) +
	       g->nr_files * sizeof(struct schedlog_file);
}

static size_t skipped_size(const struct xensched_geometry *g)
{
	return sizeof(u32) * g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;
}

static size_t control_size(const struct xensched_geometry *g)
{
	return XEN_SCHEDLOG_MARKS_OFFSET(g->nr_files) +
	       sizeof(u64) * g->nr_files;
}

static size_t state_size(const struct xensched_geometry *g)
{
	return sizeof(struct xen_schedlog_state) * g->nr_files;
}

static size_t global_size(const struct xensched_geometry *g)
{
	return XEN_SCHEDLOG_ROUTES_OFFSET +
	       sizeof(u64) * g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;
}

unsigned int xensched_region_pages(enum xensched_region_nr region)
{
	switch (region) {
	case XENSCHED_REGION_GLOBAL:
		return PFN_UP(global_size(&geometry));
	case XENSCHED_REGION_CONTROL:
		return PFN_UP(control_size(&geometry));
	case XENSCHED_REGION_STATE:
		return PFN_UP(state_size(&geometry));
	case XENSCHED_REGION_DATA:
		return PFN_UP(geometry.data_size);
	}

	return 0;
}

static u64 private_bytes(const struct xensched_geometry *g)
{
	return private_size(g) + skipped_size(g);
}

static u64 area_bytes(const struct xensched_geometry *g)
{
	u64 cpu = private_bytes(g) + PAGE_ALIGN(control_size(g)) +
		  PAGE_ALIGN(state_size(g)) + PAGE_ALIGN(g->data_size);

	return cpu * num_possible_cpus() + PAGE_ALIGN(global_size(g));
}

static void xensched_free_cpu(struct area_cpu *area)
{
	xensched_set_region(&area->control, NULL);
	xensched_set_region(&area->state, NULL);
	xensched_set_region(&area->data, NULL);
	kvfree(area->skipped);
	kvfree(area->cpu);
	area->skipped = NULL;
	area->cpu = NULL;
	atomic64_sub(private_bytes(&geometry), &used_bytes);
}

static int alloc_cpu(struct area_cpu *area, int node)
{
	const struct xensched_geometry *g = &geometry;

	atomic64_add(private_bytes(g), &used_bytes);
	xensched_set_region(&area->control,
			    xensched_alloc_region(control_size(g), node));
	xensched_set_region(&area->state,
			    xensched_alloc_region(state_size(g), node));
	xensched_set_region(&area->data,
			    xensched_alloc_region(g->data_size, node));
	area->skipped = kvzalloc_node(skipped_size(g), GFP_AREA, node);
	area->cpu = kvzalloc_node(private_size(g), GFP_AREA, node);
	if (area->control && area->state && area->data && area->skipped &&
	    area->cpu)
		return 0;

	xensched_free_cpu(area);
	return -ENOMEM;
}

static void init_cpu(const struct area_cpu *area)
{
	const struct xensched_geometry *g = &geometry;
	struct xen_schedlog_state *state = area->state->va;
	struct schedlog_cpu *cpu = area->cpu;
	unsigned int i;

	cpu->lcr = area->control->va;
	cpu->route = global->va + XEN_SCHEDLOG_ROUTES_OFFSET;
	cpu->skipped = area->skipped;
	cpu->acct_mask = g->nr_acct - 1;
	cpu->file_mask = g->nr_files - 1;
	for (i = 0; i < g->nr_files; i++)
		schedlog_init_file(&cpu->file[i],
				   area->data->va + g->files[i].offset,
				   g->files[i].size, &state[i]);
}

static int alloc_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct area_cpu *area = per_cpu_ptr(&area_cpu, cpu);
		int err = alloc_cpu(area, cpu_to_node(cpu));

		if (err)
			return err;
		init_cpu(area);
		rcu_assign_pointer(per_cpu(xensched_log_cpu, cpu), area->cpu);
	}

	return 0;
}

static bool same_geometry(const struct xensched_geometry *g)
{
	return g->nr_acct == geometry.nr_acct &&
	       g->nr_files == geometry.nr_files &&
	       !memcmp(g->files, geometry.files,
		       sizeof(*g->files) * g->nr_files);
}

int xensched_create_area(const struct xensched_geometry *g)
{
	int err = -ENOMEM;

	if (geometry.nr_acct) {
		if (!same_geometry(g))
			return -EBUSY;
		kvfree(g->files);
		return 0;
	}
	if (xensched_used_bytes() + area_bytes(g) > xensched_max_bytes())
		return -E2BIG;

	geometry = *g;
	nr_areas++;
	xensched_set_region(&global, xensched_alloc_region(global_size(g),
							   NUMA_NO_NODE));
	if (global)
		err = alloc_cpus();
	if (err) {
		geometry.files = NULL;	/* Still owned by the caller. */
		xensched_destroy_area();
	}

	return err;
}

void xensched_destroy_area(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		RCU_INIT_POINTER(per_cpu(xensched_log_cpu, cpu), NULL);
	/* Wait for sites that found the event on before it was turned off. */
	synchronize_rcu();

	for_each_possible_cpu(cpu) {
		struct area_cpu *area = per_cpu_ptr(&area_cpu, cpu);

		if (area->cpu)
			xensched_free_cpu(area);
	}
	xensched_set_region(&global, NULL);
	kvfree(geometry.files);
	memset(&geometry, 0, sizeof(geometry));
}

struct xensched_region *xensched_find_region(unsigned int region,
					     unsigned int cpu)
{
	const struct area_cpu *area;

	if (region == XENSCHED_REGION_GLOBAL)
		return global;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return NULL;

	/* The caller controls both numbers. */
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	area = per_cpu_ptr(&area_cpu, cpu);
	switch (region) {
	case XENSCHED_REGION_CONTROL:
		return area->control;
	case XENSCHED_REGION_STATE:
		return area->state;
	case XENSCHED_REGION_DATA:
		return area->data;
	default:
		return NULL;
	}
}

struct xensched_region *xensched_get_region(unsigned int region,
					    unsigned int cpu)
{
	struct xensched_region *found;

	spin_lock(&regions_lock);
	found = xensched_find_region(region, cpu);
	if (found)
		kref_get(&found->ref);
	spin_unlock(&regions_lock);

	return found;
}
