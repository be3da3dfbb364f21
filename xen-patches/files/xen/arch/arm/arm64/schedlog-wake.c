/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells why an interrupt that a GIC injects wakes a vCPU. */

#include <xen/sched.h>
#include <xen/schedlog.h>

#include <asm/gic.h>

/*
 * Timers are those that Xen runs while the vCPU has no pCPU.  The interrupt of
 * event channels is no reason of its own: the channel's sender was noted.
 */
void schedlog_virq_wakes(struct vcpu *v, unsigned int virq,
                         const struct irq_desc *desc)
{
    if ( virq < NR_GIC_SGI )
        schedlog_ipi_wakes(v);
    else if ( virq == v->arch.virt_timer.irq ||
              virq == v->arch.phys_timer.irq )
        schedlog_timer_wakes(v);
    else if ( desc )
        schedlog_pirq_wakes(v);
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
