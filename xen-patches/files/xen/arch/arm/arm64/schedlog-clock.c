/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares a vCPU's virtual counter with the physical one, for readers of logs
 * that guests write with the virtual counter.  Both tick at the same rate, and
 * their difference is constant while the domain exists.
 */

#include <xen/errno.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/time.h>

int schedlog_clock(const struct domain *d, struct xen_domctl_schedlog_clock *op)
{
    if ( !domain_vcpu(d, op->vcpu) )
        return -EINVAL;

    op->flags = 0;
    op->host_khz = op->guest_khz = cpu_khz;
    op->host_tsc = get_cycles();
    op->guest_tsc = op->host_tsc - d->arch.virt_timer_base.offset;
    op->system_ns = ticks_to_ns(op->host_tsc - boot_count);

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
