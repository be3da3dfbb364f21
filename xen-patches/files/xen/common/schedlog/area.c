/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocates the area of the log facility: per pCPU, on the pCPU's own node.
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
#include <xen/nodemask.h>
#include <xen/nospec.h>
#include <xen/numa.h>
#include <xen/pfn.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/xmalloc.h>
#include <xen/xvmalloc.h>

#include "area.h"

/* The regions of a pCPU. */
enum part {
    PART_PRIVATE, /* struct schedlog_pcpu */
    PART_SKIPPED, /* Counters of thresholds. */
    PART_CONTROL,
    PART_STATE,
    PART_DATA,
    NR_PARTS
};

struct pcpu_regions {
    struct schedlog_region *region[NR_PARTS];
    bool complete;
};

struct area {
    struct schedlog_geometry geometry;
    struct schedlog_region *global;
    struct pcpu_regions *cpu; /* [nr_cpu_ids] */
};

/* area_live logs; area_pending is being allocated.  NULL: there is none. */
static struct area *area_live, *area_pending;

/*
 * Accounting domains below this may be bound: they have counters of thresholds,
 * on all pCPUs.  Such counters take as much memory as all else but log files,
 * so other accounting domains have none.
 */
static unsigned int nr_prepared = XEN_SCHEDLOG_ACCT_FIRST;

/* nr_prepared, or more while counters are added. */
static unsigned int nr_wanted = XEN_SCHEDLOG_ACCT_FIRST;

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

static size_t part_size(const struct schedlog_geometry *g, enum part part)
{
    switch ( part )
    {
    case PART_PRIVATE:
        return sizeof(struct schedlog_pcpu) +
               sizeof(struct schedlog_file) * g->nr_files;

    case PART_SKIPPED:
        return sizeof(uint32_t) * g->nr_acct * XEN_SCHEDLOG_NR_EVENTS;

    case PART_CONTROL:
        return XEN_SCHEDLOG_MARKS_OFFSET(g->nr_files) +
               sizeof(uint64_t) * g->nr_files;

    case PART_STATE:
        return sizeof(struct xen_schedlog_state) * g->nr_files;

    case PART_DATA:
        return g->data_size;

    case NR_PARTS:
        break;
    }

    ASSERT_UNREACHABLE();

    return 0;
}

/* The size up to which a region is allocated. */
static size_t wanted_size(const struct schedlog_geometry *g, enum part part)
{
    /* Bindings that outlived their area may be above nr_acct. */
    unsigned int nr_acct = min(nr_wanted, g->nr_acct);

    return part == PART_SKIPPED
           ? sizeof(uint32_t) * nr_acct * XEN_SCHEDLOG_NR_EVENTS
           : part_size(g, part);
}

static const enum schedlog_access access_of[NR_PARTS] = {
    [PART_PRIVATE] = SCHEDLOG_PRIVATE,
    [PART_SKIPPED] = SCHEDLOG_PRIVATE,
    [PART_CONTROL] = SCHEDLOG_WRITABLE,
    [PART_STATE]   = SCHEDLOG_READABLE,
    [PART_DATA]    = SCHEDLOG_READABLE,
};

/* Whole pages, as allocated. */
static uint64_t cpu_bytes(const struct schedlog_geometry *g)
{
    uint64_t bytes = 0;
    unsigned int part;

    for ( part = 0; part < NR_PARTS; part++ )
        bytes += PAGE_ALIGN((uint64_t)wanted_size(g, part));

    return bytes;
}

static uint64_t area_bytes(const struct schedlog_geometry *g)
{
    return PAGE_ALIGN((uint64_t)global_size(g)) +
           cpu_bytes(g) * num_online_cpus();
}

static unsigned int memflags_of(unsigned int cpu)
{
    nodeid_t node = cpu_to_node(cpu);

    return node == NUMA_NO_NODE ? 0 : MEMF_node(node);
}

static void give_up_pcpu(struct pcpu_regions *regions)
{
    unsigned int part;

    for ( part = 0; part < NR_PARTS; part++ )
        schedlog_region_give_up(regions->region[part]);

    memset(regions, 0, sizeof(*regions));
}

static void give_up(struct area *area)
{
    unsigned int cpu;

    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        give_up_pcpu(&area->cpu[cpu]);
    schedlog_region_give_up(area->global);

    xvfree(area->cpu);
    xvfree(area->geometry.files);
    xfree(area);
}

/* Initialises the data that only the pCPU itself writes later. */
static void init_pcpu(const struct area *area,
                      const struct pcpu_regions *regions)
{
    const struct schedlog_geometry *g = &area->geometry;
    struct schedlog_pcpu *pcpu = regions->region[PART_PRIVATE]->va;
    struct xen_schedlog_state *state = regions->region[PART_STATE]->va;
    unsigned int i;

    pcpu->mark = regions->region[PART_CONTROL]->va +
                 XEN_SCHEDLOG_MARKS_OFFSET(g->nr_files);
    pcpu->cpu.lcr = regions->region[PART_CONTROL]->va;
    pcpu->cpu.route = area->global->va + XEN_SCHEDLOG_ROUTES_OFFSET;
    pcpu->cpu.skipped = regions->region[PART_SKIPPED]->va;
    pcpu->cpu.acct_mask = g->nr_acct - 1;
    pcpu->cpu.file_mask = g->nr_files - 1;
    for ( i = 0; i < g->nr_files; i++ )
        schedlog_init_file(&pcpu->cpu.file[i],
                           regions->region[PART_DATA]->va + g->files[i].offset,
                           g->files[i].size, &state[i]);
}

/* Continues where the last call stopped. */
static int fill_region(struct schedlog_region **region, size_t size,
                       size_t wanted, enum schedlog_access access,
                       unsigned int memflags, bool preempt)
{
    int rc;

    if ( !*region )
        *region = schedlog_region_new(size, access);
    if ( !*region )
        return -ENOMEM;

    rc = schedlog_region_want(*region, wanted);

    return rc ?: schedlog_region_fill(*region, memflags, preempt);
}

static int fill_part(struct area *area, unsigned int cpu, enum part part,
                     bool preempt)
{
    return fill_region(&area->cpu[cpu].region[part],
                       part_size(&area->geometry, part),
                       wanted_size(&area->geometry, part), access_of[part],
                       memflags_of(cpu), preempt);
}

static int fill_cpu(struct area *area, unsigned int cpu, bool preempt)
{
    struct pcpu_regions *regions = &area->cpu[cpu];
    unsigned int part;

    if ( regions->complete )
        return 0;

    for ( part = 0; part < NR_PARTS; part++ )
    {
        int rc = fill_part(area, cpu, part, preempt);

        if ( rc )
            return rc;
    }

    init_pcpu(area, regions);
    smp_wmb();
    write_atomic(&regions->complete, true);

    return 0;
}

/* An offline pCPU has no pointer for the hot path, but keeps its regions. */
static void attach_cpu(const struct area *area, unsigned int cpu)
{
    struct schedlog_pcpu *pcpu = area->cpu[cpu].region[PART_PRIVATE]->va;

    schedlog_stay_init_cpu(pcpu);
    schedlog_forget_holders(&pcpu->holders);
    schedlog_init_tick(pcpu);
    smp_wmb();
    per_cpu(schedlog_pcpu, cpu) = pcpu;
}

/* A new pCPU logs like the others, also if the scheduler did not notice it. */
static void copy_registers(struct pcpu_regions *to)
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
static int add_counters(struct area *area)
{
    unsigned int cpu;
    int rc = 0;

    for ( cpu = 0; cpu < nr_cpu_ids && !rc; cpu++ )
        if ( area->cpu[cpu].complete )
            rc = fill_part(area, cpu, PART_SKIPPED, true);

    return rc;
}

int schedlog_prepare_acct(uint16_t acct)
{
    int rc = 0;

    nr_wanted = max(nr_prepared, acct + 1U);
    if ( area_live )
        rc = add_counters(area_live);
    if ( !rc && area_pending )
        rc = add_counters(area_pending);
    if ( rc )
        nr_wanted = nr_prepared;
    else
        nr_prepared = nr_wanted;

    return rc;
}

static int fill_area(struct area *area)
{
    unsigned int cpu;
    size_t size = global_size(&area->geometry);
    int rc = fill_region(&area->global, size, size, SCHEDLOG_WRITABLE, 0, true);

    if ( rc )
        return rc;

    for_each_online_cpu ( cpu )
    {
        if ( area->cpu[cpu].complete )
            continue;

        rc = fill_cpu(area, cpu, true);
        if ( rc )
            return rc;
        if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/* An area without memory. */
static struct area *new_area(const struct schedlog_geometry *g)
{
    struct area *area = xzalloc(struct area);

    if ( !area )
        return NULL;

    area->geometry = *g;
    area->geometry.files = xvmalloc_array(struct xen_schedlog_file,
                                          g->nr_files);
    area->cpu = xvzalloc_array(struct pcpu_regions, nr_cpu_ids);
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

static bool has_geometry(const struct area *area,
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
    nr_prepared = nr_wanted = max(highest_acct() + 1U,
                                  XEN_SCHEDLOG_ACCT_FIRST);

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
        attach_cpu(area_live, cpu);
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

        rc = fill_cpu(area_live, cpu, true);
        if ( rc && rc != -ERESTART )
            give_up_pcpu(&area_live->cpu[cpu]);
        if ( rc )
            return rc;

        copy_registers(&area_live->cpu[cpu]);
        attach_cpu(area_live, cpu);
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
        give_up(area_pending);
        area_pending = NULL;
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
        give_up(area_pending);
        area_pending = NULL;
    }

    return rc;
}

void schedlog_give_up_area(void)
{
    struct area *area = area_live;
    unsigned int cpu;

    if ( area_pending )
        give_up(area_pending);
    area_pending = NULL;

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
    if ( fill_cpu(area_live, cpu, false) )
    {
        give_up_pcpu(&area_live->cpu[cpu]);
        return false;
    }
    if ( !had )
        copy_registers(&area_live->cpu[cpu]);

    attach_cpu(area_live, cpu);

    return true;
}

const struct schedlog_region *schedlog_find_region(unsigned int region,
                                                   unsigned int cpu)
{
    static const enum part part_of[] = {
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
