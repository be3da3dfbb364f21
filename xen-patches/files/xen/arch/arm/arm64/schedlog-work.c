/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives the interrupts of a GIC the names that rows have for them. */

#include <xen/irq.h>
#include <xen/schedlog.h>

#include <asm/gic.h>
#include <asm/time.h>

/* An interrupt by another pCPU. */
void schedlog_sgi(unsigned int sgi)
{
    unsigned int reason;

    switch ( sgi )
    {
    case GIC_SGI_EVENT_CHECK:
        reason = XEN_SCHEDLOG_IRQ_EVENT_CHECK;
        break;

    case GIC_SGI_CALL_FUNCTION:
        reason = XEN_SCHEDLOG_IRQ_CALL;
        break;

    default:
        reason = XEN_SCHEDLOG_IRQ_OTHER;
        break;
    }

    schedlog_begin(XEN_SCHEDLOG_EV_IRQ_TIME, reason);
}

void schedlog_irq(const struct irq_desc *desc)
{
    unsigned int reason = XEN_SCHEDLOG_IRQ_XEN;

    if ( test_bit(_IRQ_GUEST, &desc->status) )
        reason = XEN_SCHEDLOG_IRQ_GUEST;
    /* Xen's own timer, or that of the guest which runs. */
    else if ( desc->irq == timer_get_irq(TIMER_HYP_PPI) ||
              desc->irq == timer_get_irq(TIMER_VIRT_PPI) )
        reason = XEN_SCHEDLOG_IRQ_TIMER;

    schedlog_begin(XEN_SCHEDLOG_EV_IRQ_TIME, reason);
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
