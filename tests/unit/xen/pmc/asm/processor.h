/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
#define X86_VENDOR_UNKNOWN 0
#define X86_VENDOR_INTEL (1 << 0)
#define X86_VENDOR_AMD (1 << 1)
#define X86_VENDOR_HYGON (1 << 4)

struct cpuinfo_x86 {
    unsigned char x86_vendor;
    int cpuid_level;
};

extern struct cpuinfo_x86 boot_cpu_data;

unsigned int cpuid_eax(unsigned int leaf);
