/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Performance counters for the log of scheduling facts, on Intel (architectural
 * performance monitoring) and AMD (the four counters since K7).
 *
 * A selection reserves the counters until the selection is released.  With a
 * vPMU they belong to guests, and with an NMI watchdog to the watchdog: then
 * nothing can be selected.  A vPMU cannot be turned on meanwhile.  No counter
 * raises an interrupt.
 */

#include <xen/errno.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/schedlog-pmc.h>
#include <xen/smp.h>

#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/vpmu.h>

#include <public/sysctl.h>

/* A macro that assigns, or (4.22) a function. */
#ifdef rdmsr_safe
#define read_msr_safe(msr, val) rdmsr_safe(msr, val)
#else
#define read_msr_safe(msr, val) rdmsr_safe(msr, &(val))
#endif

#ifndef rdpmc /* 4.22 */
#define rdpmc(counter, low, high) \
    asm volatile ( "rdpmc" : "=a" (low), "=d" (high) : "c" (counter) )
#endif

#define SELECT_EVENT  0x000000ffULL
#define SELECT_UMASK  0x0000ff00ULL
#define SELECT_USR    (1ULL << 16)
#define SELECT_OS     (1ULL << 17)
#define SELECT_EDGE   (1ULL << 18)
#define SELECT_ENABLE (1ULL << 22)
#define SELECT_INV    (1ULL << 23)
#define SELECT_CMASK  0xff000000ULL
#define SELECT_EVENT_AMD (0xfULL << 32)

static struct {
    unsigned int nr, width;
    unsigned int version;           /* Intel's. */
    unsigned int select, counter;   /* MSRs of the first one. */
    uint64_t select_mask;
} pmu __ro_after_init;

static unsigned int __read_mostly selected;
static uint64_t __read_mostly selects[XEN_SCHEDLOG_MAX_PMCS];

unsigned int schedlog_nr_pmcs(void)
{
    return pmu.nr;
}

unsigned int schedlog_selected_pmcs(void)
{
    return selected;
}

uint64_t schedlog_pmc_mask(void)
{
    return (1ULL << pmu.width) - 1;
}

uint64_t schedlog_read_pmc(unsigned int nr)
{
    uint32_t low, high;

    rdpmc(nr, low, high);

    return (((uint64_t)high << 32) | low) & schedlog_pmc_mask();
}

void schedlog_program_pmcs(void)
{
    unsigned int i;
    uint64_t global;

    for ( i = 0; i < pmu.nr; i++ )
    {
        wrmsrl(pmu.select + i, 0);
        if ( i >= selected )
            continue;
        wrmsrl(pmu.counter + i, 0);
        wrmsrl(pmu.select + i, selects[i] | SELECT_ENABLE);
    }

    /* From version 2 on there is a switch for each counter in addition. */
    if ( pmu.version >= 2 )
    {
        rdmsrl(MSR_CORE_PERF_GLOBAL_CTRL, global);
        global &= ~((1ULL << pmu.nr) - 1);
        wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, global | ((1ULL << selected) - 1));
    }
}

static void cf_check program_pmcs(void *unused)
{
    schedlog_program_pmcs();
}

/* With pCPUs neither coming nor going. */
static void count_events(unsigned int nr, const uint64_t *select)
{
    unsigned int i;

    selected = nr;
    for ( i = 0; i < nr; i++ )
        selects[i] = select[i];

    on_each_cpu(program_pmcs, NULL, 1);
}

/* The PMU is ours, or -EBUSY. */
static int reserve_pmu(void)
{
    return nmi_watchdog == NMI_NONE && vpmu_bar(true) ? 0 : -EBUSY;
}

void schedlog_release_pmcs(void)
{
    if ( !selected )
        return;

    count_events(0, NULL);
    vpmu_bar(false);
}

int schedlog_select_pmcs(const struct xen_sysctl_schedlog_pmc *op)
{
    unsigned int i;
    int rc;

    if ( !pmu.nr )
        return -ENODEV;
    if ( op->nr > pmu.nr )
        return -EINVAL;

    for ( i = 0; i < op->nr; i++ )
        if ( op->select[i] & ~pmu.select_mask )
            return -EINVAL;

    if ( !op->nr )
    {
        schedlog_release_pmcs();
        return 0;
    }

    rc = selected ? 0 : reserve_pmu();
    if ( !rc )
        count_events(op->nr, op->select);

    return rc;
}

/* Hypervisors without a PMU ignore writes, or fault. */
static bool __init counts(unsigned int msr)
{
    uint64_t before, now;

    if ( read_msr_safe(msr, before) || wrmsr_safe(msr, 0x1234) ||
         read_msr_safe(msr, now) )
        return false;

    wrmsrl(msr, before);

    return now == 0x1234;
}

static int __init cf_check find_pmu(void)
{
    unsigned int nr = 0, eax;

    pmu.select_mask = SELECT_EVENT | SELECT_UMASK | SELECT_USR | SELECT_OS |
                      SELECT_EDGE | SELECT_INV | SELECT_CMASK;

    switch ( boot_cpu_data.x86_vendor )
    {
    case X86_VENDOR_INTEL:
        if ( boot_cpu_data.cpuid_level < 0xa )
            break;
        eax = cpuid_eax(0xa);
        pmu.version = eax & 0xff;
        nr = pmu.version ? (eax >> 8) & 0xff : 0;
        pmu.width = (eax >> 16) & 0xff;
        pmu.select = MSR_P6_EVNTSEL(0);
        pmu.counter = MSR_P6_PERFCTR(0);
        break;

    case X86_VENDOR_AMD:
    case X86_VENDOR_HYGON:
        nr = 4;
        pmu.width = 48;
        pmu.select = MSR_K7_EVNTSEL0;
        pmu.counter = MSR_K7_PERFCTR0;
        pmu.select_mask |= SELECT_EVENT_AMD;
        break;

    default:
        /* It is not known what others have. */
        break;
    }

    if ( nr && pmu.width > 31 && pmu.width < 64 && counts(pmu.counter) )
        pmu.nr = min_t(unsigned int, nr, XEN_SCHEDLOG_MAX_PMCS);

    return 0;
}
presmp_initcall(find_pmu);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
