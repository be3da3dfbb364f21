/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocates the area of the log facility: what is there once, and the part of
 * each pCPU (area-cpu.c).
 *
 * An area is pending, over any number of calls, until it is complete, and goes
 * live then.  Its layout is kept in private memory.
 *
 * Locking: area.h states the locks of each function.  The look-ups are safe
 * against a pCPU which comes online: they find its regions only once all of
 * them are complete.
 */

#include <xen/cpumask.h>
#include <xen/errno.h>
#include <xen/event.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/nospec.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/xmalloc.h>
#include <xen/xvmalloc.h>

#include "area-cpu.h"

/* area_live logs; area_pending is being allocated.  NULL: there is none. */
static struct schedlog_area *area_live, *area_pending;

/*
 * Accounting domains below this may be bound: they have counters of thresholds,
 * on all pCPUs.  schedlog_nr_wanted is this, or more while counters are added.
 */
static unsigned int nr_prepared = XEN_SCHEDLOG_ACCT_FIRST;

/* The layout of area_live; but for files, it is read without control_lock. */
static struct schedlog_geometry geometry;

const struct schedlog_geometry *schedlog_geometry(void)
{
    return &geometry;
}

unsigned int schedlog_nr_cpus(void)
{
    unsigned int cpu = area_live ? nr_cpu_ids : 0;

    while ( cpu && !read_atomic(&area_live->cpu[cpu - 1].complete) )
        cpu--;

    return cpu;
}

static size_t global_size(const struct schedlog_geometry *g)
{
    return XEN_SCHEDLOG_ROUTES_OFFSET +
           sizeof(uint64_t) * g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;
}

static uint64_t area_bytes(const struct schedlog_geometry *g)
{
    return PAGE_ALIGN((uint64_t)global_size(g)) +
           schedlog_cpu_bytes(g) * num_online_cpus();
}

static void give_up(struct schedlog_area *area)
{
    unsigned int cpu;

    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        schedlog_give_up_cpu(&area->cpu[cpu]);
    schedlog_region_give_up(area->global);

    xvfree(area->cpu);
    xvfree(area->geometry.files);
    xfree(area);
}

/* A new pCPU logs like the others, also if the scheduler did not notice it. */
static void copy_registers(struct schedlog_regions *to)
{
    const uint32_t *from = NULL;
    uint32_t *lcr = to->region[PART_CONTROL]->va;
    unsigned int cpu, i;

    for ( cpu = 0; cpu < nr_cpu_ids && !from; cpu++ )
        if ( area_live->cpu[cpu].complete && &area_live->cpu[cpu] != to )
            from = area_live->cpu[cpu].region[PART_CONTROL]->va;

    for ( i = 0; from && i < area_live->geometry.nr_files; i++ )
        lcr[i] = ACCESS_ONCE(from[i]);
}

/* For pCPUs whose other regions are complete. */
static int add_counters(struct schedlog_area *area)
{
    unsigned int cpu;
    int rc = 0;

    for ( cpu = 0; cpu < nr_cpu_ids && !rc; cpu++ )
        if ( area->cpu[cpu].complete )
            rc = schedlog_fill_part(area, cpu, PART_SKIPPED, true);

    return rc;
}

int schedlog_prepare_acct(uint16_t acct)
{
    int rc = 0;

    schedlog_nr_wanted = max(nr_prepared, acct + 1U);
    if ( area_live )
        rc = add_counters(area_live);
    if ( !rc && area_pending )
        rc = add_counters(area_pending);
    if ( rc )
        schedlog_nr_wanted = nr_prepared;
    else
        nr_prepared = schedlog_nr_wanted;

    return rc;
}

void schedlog_give_up_pending(void)
{
    if ( area_pending )
        give_up(area_pending);
    area_pending = NULL;
}

static int fill_area(struct schedlog_area *area)
{
    unsigned int cpu;
    size_t size = global_size(&area->geometry);
    int rc = schedlog_fill_region(&area->global, size, size, SCHEDLOG_WRITABLE,
                                  0, true);

    if ( rc )
        return rc;

    for_each_online_cpu ( cpu )
    {
        if ( area->cpu[cpu].complete )
            continue;

        rc = schedlog_fill_cpu(area, cpu, true);
        if ( rc )
            return rc;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/* An area without memory. */
static struct schedlog_area *new_area(const struct schedlog_geometry *g)
{
    struct schedlog_area *area = xzalloc(struct schedlog_area);

    if ( !area )
        return NULL;

    area->geometry = *g;
    area->geometry.files = xvmalloc_array(struct xen_schedlog_file,
                                          g->nr_files);
    area->cpu = xvzalloc_array(struct schedlog_regions, nr_cpu_ids);
    if ( !area->geometry.files || !area->cpu )
    {
        xvfree(area->cpu);
        xvfree(area->geometry.files);
        xfree(area);
        return NULL;
    }
    memcpy(area->geometry.files, g->files, sizeof(*g->files) * g->nr_files);

    return area;
}

static bool has_geometry(const struct schedlog_area *area,
                         const struct schedlog_geometry *g)
{
    return g->nr_acct == area->geometry.nr_acct &&
           g->nr_files == area->geometry.nr_files &&
           !memcmp(g->files, area->geometry.files,
                   sizeof(*g->files) * g->nr_files);
}

/* The highest number that a domain or a vCPU is bound to. */
static unsigned int highest_acct(void)
{
    unsigned int highest = 0;
    const struct domain *d;
    const struct vcpu *v;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
    {
        highest = max(highest, (unsigned int)d->schedlog_acct);
        for_each_vcpu ( d, v )
            highest = max(highest, (unsigned int)v->schedlog_acct);
    }
    rcu_read_unlock(&domlist_read_lock);

    return highest;
}

static int begin_area(const struct schedlog_geometry *g, uint64_t *need_bytes)
{
    uint64_t need;

    /* Counters for current bindings only. */
    nr_prepared = max(highest_acct() + 1U, XEN_SCHEDLOG_ACCT_FIRST);
    schedlog_nr_wanted = nr_prepared;

    need = area_bytes(g) + schedlog_used_bytes();
    if ( need > schedlog_max_bytes() )
    {
        *need_bytes = need;
        return -E2BIG;
    }

    area_pending = new_area(g);

    return area_pending ? 0 : -ENOMEM;
}

static void use_area(void)
{
    unsigned int cpu;

    area_live = area_pending;
    area_pending = NULL;
    geometry = area_live->geometry;

    for_each_online_cpu ( cpu )
        schedlog_attach_cpu(area_live, cpu);
}

/* Serves pCPUs which came online when there was no memory for them. */
static int complete_area(void)
{
    unsigned int cpu;

    for_each_online_cpu ( cpu )
    {
        int rc;

        if ( per_cpu(schedlog_pcpu, cpu) )
            continue;

        rc = schedlog_fill_cpu(area_live, cpu, true);
        if ( rc && rc != -ERESTART )
            schedlog_give_up_cpu(&area_live->cpu[cpu]);
        if ( rc )
            return rc;

        copy_registers(&area_live->cpu[cpu]);
        schedlog_attach_cpu(area_live, cpu);
        schedlog_start_tick(cpu);
    }

    return 0;
}

int schedlog_make_area(const struct schedlog_geometry *g, uint64_t *need_bytes)
{
    int rc = 0;

    if ( area_live )
        return has_geometry(area_live, g) ? complete_area() : -EBUSY;

    if ( !area_pending )
        rc = begin_area(g, need_bytes);
    else if ( !has_geometry(area_pending, g) )
    {
        /*
         * The area is another caller's, or this caller's array has changed.
         * In both cases nothing is kept: the other caller begins again.
         */
        schedlog_give_up_pending();
        rc = -EBUSY;
    }
    if ( rc )
        return rc;

    rc = fill_area(area_pending);
    if ( !rc )
        use_area();
    else if ( rc != -ERESTART )
    {
        *need_bytes = area_bytes(g);
        schedlog_give_up_pending();
    }

    return rc;
}

void schedlog_give_up_area(void)
{
    struct schedlog_area *area = area_live;
    unsigned int cpu;

    schedlog_give_up_pending();

    if ( !area )
        return;

    for_each_online_cpu ( cpu )
        per_cpu(schedlog_pcpu, cpu) = NULL;
    area_live = NULL;
    memset(&geometry, 0, sizeof(geometry));
    give_up(area);
}

bool schedlog_prepare_cpu(unsigned int cpu)
{
    bool had;

    /* A pCPU that was parked still has its old pointer. */
    per_cpu(schedlog_pcpu, cpu) = NULL;

    if ( !area_live )
        return true;

    had = area_live->cpu[cpu].complete;
    if ( schedlog_fill_cpu(area_live, cpu, false) )
    {
        schedlog_give_up_cpu(&area_live->cpu[cpu]);
        return false;
    }
    if ( !had )
        copy_registers(&area_live->cpu[cpu]);

    schedlog_attach_cpu(area_live, cpu);

    return true;
}

const struct schedlog_region *schedlog_find_region(unsigned int region,
                                                   unsigned int cpu)
{
    static const enum schedlog_part part_of[] = {
        [XEN_SCHEDLOG_REGION_CONTROL] = PART_CONTROL,
        [XEN_SCHEDLOG_REGION_STATE]   = PART_STATE,
        [XEN_SCHEDLOG_REGION_DATA]    = PART_DATA,
    };

    if ( !area_live )
        return NULL;
    if ( region == XEN_SCHEDLOG_REGION_GLOBAL )
        return area_live->global;
    if ( region >= ARRAY_SIZE(part_of) || cpu >= nr_cpu_ids )
        return NULL;

    cpu = array_index_nospec(cpu, nr_cpu_ids);
    if ( !read_atomic(&area_live->cpu[cpu].complete) )
        return NULL;

    return area_live->cpu[cpu].region[array_access_nospec(part_of, region)];
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
