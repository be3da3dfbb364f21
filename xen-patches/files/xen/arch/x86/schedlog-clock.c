/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the TSC of a vCPU and the host's TSC at the same instant.  They convert
 * the times of a log that a guest wrote with its own TSC.
 *
 * The result is exact, unless the TSC is emulated: an emulated TSC follows
 * system time, which differs by a few us between pCPUs.  Nothing is paused or
 * changed; a guest may set its TSC immediately afterwards.
 */

#include <xen/errno.h>
#include <xen/schedlog.h>
#include <xen/time.h>

#include <asm/hvm/hvm.h>
#include <asm/msr.h>
#include <asm/time.h>

#include <public/hvm/params.h>

/* Does an emulated TSC stop while its vCPU does not run?  See vpt.c. */
static bool is_delayed(const struct domain *d)
{
    return is_hvm_domain(d) && d->arch.vtsc &&
           d->arch.hvm.params[HVM_PARAM_TIMER_MODE] ==
           HVMPTM_delay_for_missed_ticks;
}

int schedlog_clock(const struct domain *d, struct xen_domctl_schedlog_clock *op)
{
    struct vcpu *v = domain_vcpu(d, op->vcpu);

    if ( !v )
        return -EINVAL;

    if ( is_delayed(d) )
        return -ENODATA;

    op->flags = d->arch.vtsc ? XEN_DOMCTL_SCHEDLOG_CLOCK_EMULATED : 0;
    op->host_khz = op->guest_khz = cpu_khz;
    op->host_tsc = op->guest_tsc = rdtsc();
    op->system_ns = get_s_time_fixed(op->host_tsc);

    if ( d->arch.vtsc || (is_hvm_domain(d) && hvm_tsc_scaling_supported) )
        op->guest_khz = d->arch.tsc_khz;

    if ( is_hvm_domain(d) )
        op->guest_tsc = hvm_get_guest_tsc_fixed(v, op->host_tsc);
    else if ( d->arch.vtsc )
        op->guest_tsc = gtime_to_gtsc(d, op->system_ns);

    return 0;
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
