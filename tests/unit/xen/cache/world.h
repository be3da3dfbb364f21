/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares the synthetic processor of test-xen-cache to the hypervisor's schedlog-cache.c. */
#ifndef TESTS_UNIT_XEN_CACHE_WORLD_H
#define TESTS_UNIT_XEN_CACHE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#define X86_FEATURE_TOPOEXT 1

struct cpuinfo_x86 {
    int cpuid_level;
    uint32_t extended_cpuid_level;
};

extern struct cpuinfo_x86 boot_cpu_data;

bool boot_cpu_has(unsigned int feature);
void cpuid_count(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
                 uint32_t *ecx, uint32_t *edx);

#endif /* TESTS_UNIT_XEN_CACHE_WORLD_H */
