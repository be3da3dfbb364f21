/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the pCPUs and the device tree of test-xen-cache-arm64 to the hypervisor's
 * schedlog-cache.c.
 */
#ifndef TESTS_UNIT_XEN_CACHE_ARM64_WORLD_H
#define TESTS_UNIT_XEN_CACHE_ARM64_WORLD_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XEN_SCHEDLOG_NO_CACHE (~0U)

#define __init
#define __read_mostly
#define __initcall(fn) static int (*const fake_start)(void) = fn

#define NR_CPUS 8
extern unsigned int nr_cpu_ids;
extern uint64_t fake_mpidr[NR_CPUS];
#define NO_MPIDR UINT64_MAX /* the pCPU is not possible */
#define cpu_logical_map(cpu) fake_mpidr[cpu]

typedef uint32_t __be32;

struct fake_property {
    const char *name;
    __be32 cells[2];
    uint32_t size; /* in bytes */
};

struct dt_device_node {
    const char *type;
    uint32_t phandle;
    bool disabled;
    struct fake_property properties[2];
    struct dt_device_node *child, *sibling;
};

#define dt_for_each_child_node(dt, dn) for (dn = (dt)->child; dn; dn = (dn)->sibling)

struct dt_device_node *dt_find_node_by_path(const char *path);
const void *dt_get_property(const struct dt_device_node *np, const char *name, uint32_t *size);
struct dt_device_node *dt_parse_phandle(const struct dt_device_node *np, const char *name,
                                        int index);
bool dt_device_is_available(const struct dt_device_node *np);
bool dt_device_type_is_equal(const struct dt_device_node *np, const char *type);
int dt_n_addr_cells(const struct dt_device_node *np);
#define be32_to_cpu(n) ntohl(n)
#define dt_cells_to_size(cells) ((cells) * sizeof(__be32))

uint32_t schedlog_cache_of(unsigned int cpu);

#endif /* TESTS_UNIT_XEN_CACHE_ARM64_WORLD_H */
