/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of the log facility: per pCPU, on the pCPU's own node, shared
 * with privileged domains.
 *
 * The layout is latched once and kept in private memory.  Pages which have
 * been given to the scheduler are only freed when nobody maps them any more.
 *
 * Locking: areas are made and given up with get_cpu_maps() held, so that pCPUs
 * neither come nor go, and by one caller at a time: control.c sees to that,
 * and the CPU notifier runs with the CPU maps held exclusively.
 */

#include <xen/cpu.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/nodemask.h>
#include <xen/numa.h>
#include <xen/param.h>
#include <xen/pfn.h>
#include <xen/sched.h>
#include <xen/schedlog-pmc.h>
#include <xen/xmalloc.h>

#include "area.h"

/* schedlog_max=<size>: how much memory the scheduler can ask for. */
static uint64_t __read_mostly opt_schedlog_max = MB(256);
size_param("schedlog_max", opt_schedlog_max);

DEFINE_PER_CPU_READ_MOSTLY(struct schedlog_pcpu *, schedlog_pcpu);

static struct schedlog_geometry geometry;
static struct schedlog_region *global;
static struct schedlog_pcpu **pcpus; /* [nr_cpu_ids] */
static uint64_t used_bytes;

/* Regions which were given up while they were mapped. */
static LIST_HEAD(former_regions);

const struct schedlog_geometry *schedlog_geometry(void)
{
    return &geometry;
}

uint64_t schedlog_max_bytes(void)
{
    return opt_schedlog_max;
}

unsigned int schedlog_nr_cpus(void)
{
    unsigned int cpu = pcpus ? nr_cpu_ids : 0;

    while ( cpu && !pcpus[cpu - 1] )
        cpu--;

    return cpu;
}

static unsigned int memflags_of(unsigned int cpu)
{
    nodeid_t node = cpu_to_node(cpu);

    return node == NUMA_NO_NODE ? 0 : MEMF_node(node);
}

/* Only what is needed of the power of two is kept. */
static void *alloc_pages(unsigned int nr, unsigned int memflags)
{
    unsigned int i, order = get_order_from_pages(nr);
    void *va = alloc_xenheap_pages(order, memflags);

    if ( !va )
        return NULL;

    for ( i = 0; i < nr; i++ )
        clear_page(va + i * PAGE_SIZE);
    for ( ; i < (1U << order); i++ )
        free_xenheap_page(va + i * PAGE_SIZE);

    used_bytes += (uint64_t)nr << PAGE_SHIFT;

    return va;
}

static void free_pages(void *va, unsigned int nr)
{
    unsigned int i;

    for ( i = 0; i < nr; i++ )
        free_xenheap_page(va + i * PAGE_SIZE);
}

/* Memory which was never shared. */
static void free_private(void *va, unsigned int nr)
{
    free_pages(va, nr);
    used_bytes -= (uint64_t)nr << PAGE_SHIFT;
}

static struct schedlog_region *alloc_region(size_t size, unsigned int memflags,
                                            enum XENSHARE_flags access)
{
    struct schedlog_region *region = xzalloc(struct schedlog_region);
    unsigned int i;

    if ( !region )
        return NULL;

    region->nr_pages = PFN_UP(size);
    region->va = alloc_pages(region->nr_pages, memflags);
    if ( !region->va )
    {
        xfree(region);
        return NULL;
    }

    for ( i = 0; i < region->nr_pages; i++ )
        share_xen_page_with_privileged_guests(
            virt_to_page(region->va + i * PAGE_SIZE), access);

    return region;
}

/* Whoever unmaps a page last leaves it without references, for us to free. */
static bool still_mapped(const struct schedlog_region *region)
{
    unsigned int i;

    for ( i = 0; i < region->nr_pages; i++ )
    {
        const struct page_info *pg =
            virt_to_page(region->va + i * PAGE_SIZE);

        if ( ACCESS_ONCE(pg->count_info) & PGC_count_mask )
            return true;
    }

    return false;
}

static void cf_check free_region(struct rcu_head *rcu)
{
    struct schedlog_region *region =
        container_of(rcu, struct schedlog_region, rcu);

    free_pages(region->va, region->nr_pages);
    xfree(region);
}

/*
 * Whoever drops the last reference of a page still has to take it off
 * dom_xen's list after that.  This is over after a grace period.
 */
static void free_former_regions(void)
{
    struct schedlog_region *region, *next;

    list_for_each_entry_safe ( region, next, &former_regions, former )
        if ( !still_mapped(region) )
        {
            list_del(&region->former);
            used_bytes -= (uint64_t)region->nr_pages << PAGE_SHIFT;
            call_rcu(&region->rcu, free_region);
        }
}

/* Drop the reference that sharing took.  Nobody new can map the pages then. */
static void release_region(struct schedlog_region *region)
{
    unsigned int i;

    if ( !region )
        return;

    for ( i = 0; i < region->nr_pages; i++ )
    {
        struct page_info *pg = virt_to_page(region->va + i * PAGE_SIZE);

        if ( !test_and_clear_bit(_PGC_allocated, &pg->count_info) )
            BUG();
        put_page(pg);
    }

    list_add_tail(&region->former, &former_regions);
}

uint64_t schedlog_used_bytes(void)
{
    free_former_regions();

    return used_bytes;
}

static size_t skipped_size(const struct schedlog_geometry *g)
{
    return sizeof(uint32_t) * g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;
}

static size_t global_size(const struct schedlog_geometry *g)
{
    return XEN_SCHEDLOG_ROUTES_OFFSET +
           sizeof(uint64_t) * g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;
}

static size_t private_size(const struct schedlog_geometry *g)
{
    return sizeof(struct schedlog_pcpu) +
           sizeof(struct schedlog_file) * g->nr_files;
}

/* Whole pages, as allocated. */
static uint64_t pcpu_size(const struct schedlog_geometry *g)
{
    return (uint64_t)g->data_size + PAGE_ALIGN(skipped_size(g)) +
           PAGE_ALIGN(private_size(g)) +
           PAGE_ALIGN(sizeof(uint32_t) * g->nr_files) +
           PAGE_ALIGN(sizeof(struct xen_schedlog_state) * g->nr_files);
}

static void free_pcpu(struct schedlog_pcpu *pcpu)
{
    if ( !pcpu )
        return;

    release_region(pcpu->control);
    release_region(pcpu->state);
    release_region(pcpu->data);
    if ( pcpu->cpu.skipped )
        free_private(pcpu->cpu.skipped, PFN_UP(skipped_size(&geometry)));
    free_private(pcpu, PFN_UP(private_size(&geometry)));
}

static struct schedlog_pcpu *alloc_pcpu(unsigned int cpu)
{
    const struct schedlog_geometry *g = &geometry;
    unsigned int i, memflags = memflags_of(cpu);
    struct schedlog_pcpu *pcpu = alloc_pages(PFN_UP(private_size(g)),
                                             memflags);

    if ( !pcpu )
        return NULL;

    pcpu->control = alloc_region(sizeof(uint32_t) * g->nr_files, memflags,
                                 SHARE_rw);
    pcpu->state = alloc_region(sizeof(struct xen_schedlog_state) * g->nr_files,
                               memflags, SHARE_ro);
    pcpu->data = alloc_region(g->data_size, memflags, SHARE_ro);
    pcpu->cpu.skipped = alloc_pages(PFN_UP(skipped_size(g)), memflags);

    if ( !pcpu->control || !pcpu->state || !pcpu->data || !pcpu->cpu.skipped )
    {
        free_pcpu(pcpu);
        return NULL;
    }

    pcpu->cpu.lcr = pcpu->control->va;
    pcpu->cpu.route = global->va + XEN_SCHEDLOG_ROUTES_OFFSET;
    pcpu->cpu.acct_mask = g->nr_acct - 1;
    pcpu->cpu.file_mask = g->nr_files - 1;
    for ( i = 0; i < g->nr_files; i++ )
        schedlog_init_file(&pcpu->cpu.file[i],
                           pcpu->data->va + g->files[i].offset,
                           g->files[i].size,
                           (struct xen_schedlog_state *)pcpu->state->va + i);

    return pcpu;
}

/* The hot path's pointer goes when the pCPU goes, the area does not. */
static int attach_cpu(unsigned int cpu)
{
    if ( !pcpus[cpu] )
    {
        if ( used_bytes + pcpu_size(&geometry) > opt_schedlog_max )
            return -E2BIG;
        pcpus[cpu] = alloc_pcpu(cpu);
        if ( !pcpus[cpu] )
            return -ENOMEM;
    }

    schedlog_stay_init_cpu(pcpus[cpu]);
    schedlog_init_tick(pcpus[cpu]);
    smp_wmb();
    per_cpu(schedlog_pcpu, cpu) = pcpus[cpu];

    return 0;
}

static bool same_geometry(const struct schedlog_geometry *g)
{
    return g->nr_acct == geometry.nr_acct &&
           g->nr_files == geometry.nr_files &&
           !memcmp(g->files, geometry.files,
                   sizeof(*g->files) * g->nr_files);
}

/* -ERESTART: call again with the same layout to go on. */
static int attach_online_cpus(void)
{
    unsigned int cpu;
    int rc;

    for_each_online_cpu ( cpu )
    {
        if ( per_cpu(schedlog_pcpu, cpu) )
            continue;

        rc = attach_cpu(cpu);
        if ( rc )
            return rc;
        schedlog_start_tick(cpu);
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

static int latch_geometry(const struct schedlog_geometry *g)
{
    struct xen_schedlog_file *files;

    files = xmemdup_bytes(g->files, sizeof(*files) * g->nr_files);
    if ( !files )
        return -ENOMEM;

    geometry = *g;
    geometry.files = files;

    return 0;
}

int schedlog_create_area(const struct schedlog_geometry *g)
{
    int rc;

    if ( geometry.nr_acct )
        return same_geometry(g) ? attach_online_cpus() : -EBUSY;

    free_former_regions();
    if ( used_bytes + global_size(g) > opt_schedlog_max )
        return -E2BIG;

    rc = latch_geometry(g);
    if ( rc )
        return rc;

    global = alloc_region(global_size(g), 0, SHARE_rw);
    pcpus = xzalloc_array(struct schedlog_pcpu *, nr_cpu_ids);

    rc = global && pcpus ? attach_online_cpus() : -ENOMEM;
    if ( rc && rc != -ERESTART )
        schedlog_destroy_area();

    return rc;
}

void schedlog_destroy_area(void)
{
    unsigned int cpu;

    for ( cpu = 0; pcpus && cpu < nr_cpu_ids; cpu++ )
    {
        if ( cpu_online(cpu) )
            per_cpu(schedlog_pcpu, cpu) = NULL;
        free_pcpu(pcpus[cpu]);
    }
    XFREE(pcpus);

    release_region(global);
    global = NULL;

    xfree(geometry.files);
    memset(&geometry, 0, sizeof(geometry));

    free_former_regions();
}

const struct schedlog_region *schedlog_find_region(unsigned int region,
                                                   unsigned int cpu)
{
    const struct schedlog_pcpu *pcpu;

    if ( region == XEN_SCHEDLOG_REGION_GLOBAL )
        return global;

    if ( !pcpus || cpu >= nr_cpu_ids || !pcpus[cpu] )
        return NULL;
    pcpu = pcpus[cpu];

    switch ( region )
    {
    case XEN_SCHEDLOG_REGION_CONTROL:
        return pcpu->control;

    case XEN_SCHEDLOG_REGION_STATE:
        return pcpu->state;

    case XEN_SCHEDLOG_REGION_DATA:
        return pcpu->data;
    }

    return NULL;
}

static int cf_check cpu_callback(
    struct notifier_block *nfb, unsigned long action, void *hcpu)
{
    unsigned int cpu = (unsigned long)hcpu;

    switch ( action )
    {
    case CPU_UP_PREPARE:
        /* If it was parked it still has the pointer which it had then. */
        per_cpu(schedlog_pcpu, cpu) = NULL;

        /* A pCPU without a log is better than no pCPU. */
        if ( pcpus && attach_cpu(cpu) )
            printk(XENLOG_WARNING "schedlog: no area for CPU%u\n", cpu);
        break;

    case CPU_STARTING:
        if ( schedlog_selected_pmcs() )
            schedlog_program_pmcs();
        break;

    case CPU_ONLINE:
    case CPU_DOWN_FAILED:
        schedlog_start_tick(cpu);
        break;

    case CPU_DOWN_PREPARE:
        schedlog_stop_tick(cpu);
        break;
    }

    return NOTIFY_DONE;
}

static struct notifier_block cpu_nfb = {
    .notifier_call = cpu_callback,
};

static int __init cf_check init_areas(void)
{
    register_cpu_notifier(&cpu_nfb);

    return 0;
}
presmp_initcall(init_areas);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
