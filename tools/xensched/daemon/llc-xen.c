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

#include "../model/memory.h"
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
}

/* libxenctrl has no function for this one. */
static uint32_t apic_id(const struct llc_xen *x, struct xen_platform_op *op,
                        unsigned int cpu)
{
    *op = (struct xen_platform_op){
        .cmd = XENPF_get_cpuinfo,
        .interface_version = XENPF_INTERFACE_VERSION,
        .u.pcpu_info.xen_cpuid = cpu,
    };
    if (xencall1(x->xcall, __HYPERVISOR_platform_op, (uintptr_t)op) ||
        op->u.pcpu_info.flags & XEN_PCPU_FLAGS_INVALID)
        return LLC_UNKNOWN;

    return op->u.pcpu_info.apic_id;
}

bool llc_xen_fill_in(const struct llc_xen *x, struct topology *t)
{
    struct xen_platform_op *op;
    uint32_t *apic_ids;
    unsigned int cpu;
    bool known;

    op = x->xcall ? xencall_alloc_buffer(x->xcall, sizeof(*op)) : NULL;
    if (!op)
        return false;
    apic_ids = need_memory(t->nr_cpus, sizeof(*apic_ids));
    for (cpu = 0; cpu < t->nr_cpus; cpu++)
        apic_ids[cpu] = t->cpus[cpu].online ? apic_id(x, op, cpu)
                                            : LLC_UNKNOWN;
    known = llc_of_host(t, apic_ids, x->shift);
    free(apic_ids);
    xencall_free_buffer(x->xcall, op);

    return known;
}
