/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the last-level cache of a pCPU in the host's device tree.
 *
 * The property next-level-cache of a cpu node names a cache node, whose own
 * next-level-cache names the next cache (Devicetree Specification, "Multi-level
 * and Shared Cache Nodes").  The last node of this chain is the last-level
 * cache.
 *
 * The clusters of cpu-map are not read, because a cluster need not share a
 * cache.  Nor are ACPI's tables.
 */

#include <xen/cpumask.h>
#include <xen/device_tree.h>
#include <xen/init.h>
#include <xen/schedlog.h>

#include <asm/processor.h>

/* No processor has as many levels: a longer chain is a loop. */
#define MAX_LEVELS 8

/* The phandle of each pCPU's last-level cache.  0: unknown */
static uint32_t __read_mostly caches[NR_CPUS];

uint32_t schedlog_cache_of(unsigned int cpu)
{
    return caches[cpu] ?: XEN_SCHEDLOG_NO_CACHE;
}

/* A cache that is disabled is not in use, nor are those behind it. */
static uint32_t __init last_cache(const struct dt_device_node *node)
{
    uint32_t last = 0;
    unsigned int level;

    for ( level = 0; level < MAX_LEVELS; level++ )
    {
        if ( !dt_get_property(node, "next-level-cache", NULL) )
            return last;

        node = dt_parse_phandle(node, "next-level-cache", 0);
        if ( !node )
            return 0;
        if ( !dt_device_is_available(node) )
            return last;

        last = node->phandle;
    }

    return 0;
}

/* Returns nr_cpu_ids if the node is that of no pCPU. */
static unsigned int __init cpu_of(const struct dt_device_node *node)
{
    unsigned int cells = dt_n_addr_cells(node), cpu;
    uint32_t size;
    uint64_t mpidr = 0;
    const __be32 *reg = dt_get_property(node, "reg", &size);

    if ( !reg || size < dt_cells_to_size(cells) )
        return nr_cpu_ids;

    while ( cells-- )
        mpidr = (mpidr << 32) | be32_to_cpu(*reg++);

    for ( cpu = 0; cpu < nr_cpu_ids; cpu++ )
        if ( cpu_logical_map(cpu) == mpidr )
            break;

    return cpu;
}

static int __init find_caches(void)
{
    const struct dt_device_node *cpus = dt_find_node_by_path("/cpus"), *node;

    if ( !cpus )
        return 0;

    dt_for_each_child_node ( cpus, node )
        if ( dt_device_type_is_equal(node, "cpu") )
        {
            unsigned int cpu = cpu_of(node);

            if ( cpu < nr_cpu_ids )
                caches[cpu] = last_cache(node);
        }

    return 0;
}
__initcall(find_caches);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
