/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the last-level cache of each pCPU from two facts that Xen reports: how many APIC ids share
 * a cache (in the log's information), and the APIC id of each pCPU.
 */
#include <stdint.h>
#include <stdlib.h>

#include <xenctrl.h>
#include <xen/platform.h>

#include "base/alloc.h"
#include "llc-xen.h"

void llc_xen_open(struct llc_xen *x, uint32_t leaf, xentoollog_logger *log)
{
    x->shift = llc_shift(leaf);
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

/* libxenctrl has no function for this hypercall. */
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

/* A pCPU that was offline may have another APIC id when it comes back. */
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
