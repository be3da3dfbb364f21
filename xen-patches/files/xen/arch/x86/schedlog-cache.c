/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the last-level cache of a pCPU: CPUID describes how many APIC ids share
 * one.  A scheduler outside the hypervisor cannot read that.  dom0 sees another
 * CPUID, and the toolstack's CPU policies lack AMD's subleaves but the first.
 *
 * Intel describes caches in leaf 4 (SDM volume 2A), AMD in leaf 0x8000001d (APM
 * volume 3, E.4.15).  Both leaves have the same form.
 */

#include <xen/bitops.h>
#include <xen/init.h>
#include <xen/schedlog.h>
#include <xen/smp.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>

#define INTEL_CACHE_LEAF 4
#define AMD_CACHE_LEAF   0x8000001dU

#define MAX_CACHES 16

#define CACHE_TYPE(eax)   ((eax) & 0x1f)
#define CACHE_LEVEL(eax)  (((eax) >> 5) & 7)
#define CACHE_IDS(eax)    ((((eax) >> 14) & 0xfff) + 1)
#define TYPE_DATA         1
#define TYPE_UNIFIED      3

/*
 * APIC ids which share a last-level cache, rounded up to a power of two as
 * the ids are dealt out.  0: CPUID describes no such cache.
 */
static unsigned int __read_mostly nr_ids;

uint32_t schedlog_cache_of(unsigned int cpu)
{
    return nr_ids ? cpu_physical_id(cpu) & -nr_ids : XEN_SCHEDLOG_NO_CACHE;
}

static uint32_t __init cache_leaf(void)
{
    if ( boot_cpu_has(X86_FEATURE_TOPOEXT) &&
         boot_cpu_data.extended_cpuid_level >= AMD_CACHE_LEAF )
        return AMD_CACHE_LEAF;

    return boot_cpu_data.cpuid_level >= INTEL_CACHE_LEAF ? INTEL_CACHE_LEAF : 0;
}

static int __init cf_check find_last_level(void)
{
    /* A cache of the first level is never the last level. */
    uint32_t leaf = cache_leaf(), level = 1, eax, ebx, ecx, edx;
    unsigned int i;

    for ( i = 0; leaf && i < MAX_CACHES; i++ )
    {
        cpuid_count(leaf, i, &eax, &ebx, &ecx, &edx);
        if ( !CACHE_TYPE(eax) )
            break;
        if ( (CACHE_TYPE(eax) == TYPE_DATA ||
              CACHE_TYPE(eax) == TYPE_UNIFIED) && CACHE_LEVEL(eax) > level )
        {
            level = CACHE_LEVEL(eax);
            nr_ids = 1U << fls(CACHE_IDS(eax) - 1);
        }
    }

    return 0;
}
__initcall(find_last_level);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
