/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives the interrupts, flushes and exits of x86 the names which rows have for
 * them.
 */

#include <xen/irq.h>
#include <xen/schedlog.h>

#include <asm/flushtlb.h>
#include <asm/irq-vectors.h>

/* An interrupt that no device has. */
void schedlog_apic_irq(unsigned int vector)
{
    unsigned int reason;

    switch ( vector )
    {
    case LOCAL_TIMER_VECTOR:
        reason = XEN_SCHEDLOG_IRQ_TIMER;
        break;

    case INVALIDATE_TLB_VECTOR:
        reason = XEN_SCHEDLOG_IRQ_FLUSH;
        break;

    case EVENT_CHECK_VECTOR:
        reason = XEN_SCHEDLOG_IRQ_EVENT_CHECK;
        break;

    case CALL_FUNCTION_VECTOR:
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
    schedlog_begin(XEN_SCHEDLOG_EV_IRQ_TIME,
                   desc->status & IRQ_GUEST ? XEN_SCHEDLOG_IRQ_GUEST
                                            : XEN_SCHEDLOG_IRQ_XEN);
}

void schedlog_flush(unsigned int flags)
{
    schedlog_begin(XEN_SCHEDLOG_EV_FLUSH_WAIT,
                   flags & (FLUSH_TLB | FLUSH_TLB_GLOBAL)
                   ? XEN_SCHEDLOG_FLUSH_TLB
                   : flags & FLUSH_VCPU_STATE ? XEN_SCHEDLOG_FLUSH_STATE
                                              : XEN_SCHEDLOG_FLUSH_OTHER);
}

/* Codes of AMD's exits are small, or a little more than that of #NPF. */
void schedlog_svm_exit(uint64_t code)
{
    const unsigned int half = (XEN_SCHEDLOG_EXIT_NPF - XEN_SCHEDLOG_EXIT_SVM);
    unsigned int reason = XEN_SCHEDLOG_WORK_OTHER;

    if ( code < half )
        reason = XEN_SCHEDLOG_EXIT_SVM + code;
    else if ( code - XEN_SCHEDLOG_EXIT_NPF_CODE < half - 1 )
        reason = XEN_SCHEDLOG_EXIT_NPF + code - XEN_SCHEDLOG_EXIT_NPF_CODE;

    schedlog_begin(XEN_SCHEDLOG_EV_EXIT_TIME, reason);
}

/* The basic reason of an exit of Intel's. */
void schedlog_vmx_exit(unsigned long reason)
{
    reason &= 0xffff;
    schedlog_begin(XEN_SCHEDLOG_EV_EXIT_TIME,
                   reason < XEN_SCHEDLOG_EXIT_SVM ? reason
                                                  : XEN_SCHEDLOG_WORK_OTHER);
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
