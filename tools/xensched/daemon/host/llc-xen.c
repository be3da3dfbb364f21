/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * llc-xen.c - see llc-xen.h.
 *
 * AMD's processors have the same in leaf 0x8000001d, of which Xen's policies
 * keep one subleaf only, that of the first level; so of those nothing is known.
 */
#include <stdint.h>
#include <stdlib.h>

#include <xenctrl.h>
#include <xenguest.h>
#include <xen/platform.h>

#include "model/memory.h"
#include "llc-xen.h"

#define CACHE_LEAF 4
#define MAX_CACHES 16

static unsigned int shift_of(const xen_cpuid_leaf_t *leaves, uint32_t nr)
{
    uint32_t eax[MAX_CACHES], i;
    unsigned int caches = 0;

    for (i = 0; i < nr && caches < MAX_CACHES; i++)
        if (leaves[i].leaf == CACHE_LEAF)
            eax[caches++] = leaves[i].a;

    return llc_shift(eax, caches);
}

/* By the values of the hardware: nothing here is a guest's. */
static unsigned int ask_cpuid(xc_interface *xch)
{
    xc_cpu_policy_t *policy = xc_cpu_policy_init();
    uint32_t nr = 0, nr_msrs = 0;
    xen_cpuid_leaf_t *leaves = NULL;
    unsigned int shift = LLC_UNKNOWN;

    if (policy && !xc_cpu_policy_get_size(xch, &nr, &nr_msrs) &&
        !xc_cpu_policy_get_system(xch, XEN_SYSCTL_cpu_policy_raw, policy)) {
        leaves = need_memory(nr, sizeof(*leaves));
        if (!xc_cpu_policy_serialise(xch, policy, leaves, &nr, NULL,
                                     &nr_msrs))
            shift = shift_of(leaves, nr);
    }
    free(leaves);
    if (policy)
        xc_cpu_policy_destroy(policy);

    return shift;
}

void llc_xen_open(struct llc_xen *x, xc_interface *xch,
                  xentoollog_logger *log)
{
    x->shift = ask_cpuid(xch);
    if (x->shift != LLC_UNKNOWN)
        x->xcall = xencall_open(log, 0);
}

void llc_xen_close(struct llc_xen *x)
{
    if (x->xcall)
        xencall_close(x->xcall);
    x->xcall = NULL;
    free(x->apic_ids);
    x->apic_ids = NULL;
    x->nr = 0;
}

/* libxenctrl has no function for this one. */
static uint32_t ask_apic_id(const struct llc_xen *x, unsigned int cpu)
{
    struct xen_platform_op *op = xencall_alloc_buffer(x->xcall, sizeof(*op));
    uint32_t apic_id = LLC_UNKNOWN;

    if (!op)
        return LLC_UNKNOWN;
    *op = (struct xen_platform_op){
        .cmd = XENPF_get_cpuinfo,
        .interface_version = XENPF_INTERFACE_VERSION,
        .u.pcpu_info.xen_cpuid = cpu,
    };
    if (!xencall1(x->xcall, __HYPERVISOR_platform_op, (uintptr_t)op) &&
        !(op->u.pcpu_info.flags & XEN_PCPU_FLAGS_INVALID))
        apic_id = op->u.pcpu_info.apic_id;
    xencall_free_buffer(x->xcall, op);

    return apic_id;
}

/* One that is offline may come back as another. */
static void update_apic_ids(struct llc_xen *x, const struct topology *t)
{
    unsigned int cpu;

    x->apic_ids = need_more_memory(x->apic_ids, t->nr_cpus,
                                   sizeof(*x->apic_ids));
    for (; x->nr < t->nr_cpus; x->nr++)
        x->apic_ids[x->nr] = LLC_UNKNOWN;
    for (cpu = 0; cpu < t->nr_cpus; cpu++)
        if (!t->cpus[cpu].online)
            x->apic_ids[cpu] = LLC_UNKNOWN;
        else if (x->apic_ids[cpu] == LLC_UNKNOWN)
            x->apic_ids[cpu] = ask_apic_id(x, cpu);
}

bool llc_xen_fill_in(struct llc_xen *x, struct topology *t)
{
    if (!x->xcall)
        return false;
    update_apic_ids(x, t);

    return llc_of_host(t, x->apic_ids, x->shift);
}
