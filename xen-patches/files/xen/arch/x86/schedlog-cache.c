/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads from CPUID how many APIC ids share a last-level cache.  A scheduler
 * outside the hypervisor cannot: dom0 sees a CPUID of its own, and the CPU
 * policies that the toolstack reads keep only the first subleaf of AMD's leaf.
 *
 * Intel describes caches in leaf 4 (SDM volume 2A), AMD in leaf 0x8000001d (APM
 * volume 3, E.4.15).  Both leaves have the same form.
 */

#include <xen/schedlog.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>

#define INTEL_CACHE_LEAF 4
#define AMD_CACHE_LEAF   0x8000001dU

#define MAX_CACHES 16

#define CACHE_TYPE(eax)   ((eax) & 0x1f)
#define CACHE_LEVEL(eax)  (((eax) >> 5) & 7)
#define TYPE_INSTRUCTION  2

static uint32_t cache_leaf(void)
{
    if ( boot_cpu_has(X86_FEATURE_TOPOEXT) &&
         boot_cpu_data.extended_cpuid_level >= AMD_CACHE_LEAF )
        return AMD_CACHE_LEAF;

    return boot_cpu_data.cpuid_level >= INTEL_CACHE_LEAF ? INTEL_CACHE_LEAF : 0;
}

uint32_t schedlog_llc_leaf(void)
{
    uint32_t leaf = cache_leaf(), llc = 0, eax, ebx, ecx, edx;
    unsigned int i;

    for ( i = 0; leaf && i < MAX_CACHES; i++ )
    {
        cpuid_count(leaf, i, &eax, &ebx, &ecx, &edx);
        if ( !CACHE_TYPE(eax) )
            break;
        if ( CACHE_TYPE(eax) != TYPE_INSTRUCTION &&
             CACHE_LEVEL(eax) > CACHE_LEVEL(llc) )
            llc = eax;
    }

    return llc;
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
