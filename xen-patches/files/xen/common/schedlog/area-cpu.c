/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocates a pCPU's part of an area, on the pCPU's own node: the regions that
 * the pCPU writes, and those with which the scheduler controls it.
 */

#include <xen/errno.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/numa.h>

#include <asm/atomic.h>

#include "area-cpu.h"

unsigned int schedlog_nr_wanted = XEN_SCHEDLOG_ACCT_FIRST;

static size_t part_size(const struct schedlog_geometry *g,
                        enum schedlog_part part)
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
static size_t wanted_size(const struct schedlog_geometry *g,
                          enum schedlog_part part)
{
    /* Bindings that outlived their area may be above nr_acct. */
    unsigned int nr_acct = min(schedlog_nr_wanted, g->nr_acct);

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

uint64_t schedlog_cpu_bytes(const struct schedlog_geometry *g)
{
    uint64_t bytes = 0;
    unsigned int part;

    for ( part = 0; part < NR_PARTS; part++ )
        bytes += PAGE_ALIGN((uint64_t)wanted_size(g, part));

    return bytes;
}

static unsigned int memflags_of(unsigned int cpu)
{
    nodeid_t node = cpu_to_node(cpu);

    return node == NUMA_NO_NODE ? 0 : MEMF_node(node);
}

void schedlog_give_up_cpu(struct schedlog_regions *regions)
{
    unsigned int part;

    for ( part = 0; part < NR_PARTS; part++ )
        schedlog_region_give_up(regions->region[part]);

    memset(regions, 0, sizeof(*regions));
}

/* Initialises the data that only the pCPU itself writes later. */
static void init_pcpu(const struct schedlog_area *area,
                      const struct schedlog_regions *regions)
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

int schedlog_fill_region(struct schedlog_region **region, size_t size,
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

int schedlog_fill_part(struct schedlog_area *area, unsigned int cpu,
                       enum schedlog_part part, bool preempt)
{
    return schedlog_fill_region(&area->cpu[cpu].region[part],
                                part_size(&area->geometry, part),
                                wanted_size(&area->geometry, part),
                                access_of[part], memflags_of(cpu), preempt);
}

int schedlog_fill_cpu(struct schedlog_area *area, unsigned int cpu,
                      bool preempt)
{
    struct schedlog_regions *regions = &area->cpu[cpu];
    unsigned int part;

    if ( regions->complete )
        return 0;

    for ( part = 0; part < NR_PARTS; part++ )
    {
        int rc = schedlog_fill_part(area, cpu, part, preempt);

        if ( rc )
            return rc;
    }

    init_pcpu(area, regions);
    smp_wmb();
    write_atomic(&regions->complete, true);

    return 0;
}

void schedlog_attach_cpu(const struct schedlog_area *area, unsigned int cpu)
{
    struct schedlog_pcpu *pcpu = area->cpu[cpu].region[PART_PRIVATE]->va;

    schedlog_stay_init_cpu(pcpu);
    schedlog_forget_holders(&pcpu->holders);
    schedlog_work_start(pcpu);
    schedlog_init_tick(pcpu);
    smp_wmb();
    per_cpu(schedlog_pcpu, cpu) = pcpu;
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
