/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares the synthetic processor of test-xen-cache to the hypervisor's schedlog-cache.c. */
#ifndef TESTS_UNIT_XEN_CACHE_WORLD_H
#define TESTS_UNIT_XEN_CACHE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define X86_FEATURE_TOPOEXT 1
#define XEN_SCHEDLOG_NO_CACHE (~0U)

#define __init
#define cf_check
#define __read_mostly
#define __initcall(fn) static int (*const fake_start)(void) = fn
#define fls(n) ((n) ? 32U - __builtin_clz(n) : 0U)

/* The APIC id of each pCPU. */
extern const uint32_t *fake_apic_ids;
#define cpu_physical_id(cpu) fake_apic_ids[cpu]

uint32_t schedlog_cache_of(unsigned int cpu);

struct cpuinfo_x86 {
    int cpuid_level;
    uint32_t extended_cpuid_level;
};

extern struct cpuinfo_x86 boot_cpu_data;

bool boot_cpu_has(unsigned int feature);
void cpuid_count(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
                 uint32_t *ecx, uint32_t *edx);

#endif /* TESTS_UNIT_XEN_CACHE_WORLD_H */
