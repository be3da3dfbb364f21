/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs how long Xen works for accounting domains, and what for.
 *
 * Sites where work begins and ends may be reached in any context but NMI and
 * #MC: an interrupt is work as well.  They only add up.  The tick logs the
 * sums: a row per accounting domain and reason, however often there was work.
 */

#include <xen/irq.h>
#include <xen/percpu.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/softirq.h>
#include <xen/time.h>

#include "area.h"

static void log_cell(struct schedlog_pcpu *pcpu,
                     struct schedlog_work_cell *cell)
{
    struct schedlog_work_cell taken;
    unsigned long flags;

    local_irq_save(flags);
    taken = schedlog_work_take(&pcpu->work, cell);
    local_irq_restore(flags);

    if ( !taken.count )
        return;

    /* Rows are sums already, so no threshold skips any. */
    schedlog_leave(&pcpu->cpu, schedlog_work_event(taken.what), taken.acct,
                   XEN_SCHEDLOG_ACCT_NONE,
                   schedlog_work_counter(&taken,
                                         schedlog_tsc_to_ns(taken.ticks)));
}

/*
 * An interrupt may find its cell behind one that is free by now, and takes
 * that: then there are two rows.
 */
void schedlog_work_tick(struct schedlog_pcpu *pcpu)
{
    unsigned int i;

    if ( !pcpu->work.used )
        return;

    for ( i = 0; i < SCHEDLOG_WORK_CELLS; i++ )
        if ( pcpu->work.cell[i].count )
            log_cell(pcpu, &pcpu->work.cell[i]);
}

/* The pCPU's events have been off. */
void schedlog_work_start(struct schedlog_pcpu *pcpu)
{
    pcpu->work = (struct schedlog_work){};
}

/*
 * What tells one run interval of a vCPU from others on this pCPU.  The state of
 * a vCPU that leaves changes before the switch.
 */
static s_time_t this_run(const struct schedlog_pcpu *pcpu)
{
    const struct vcpu *curr = current;

    return curr->runstate.state == RUNSTATE_running
           ? curr->runstate.state_entry_time : pcpu->work.run;
}

void schedlog_begin(unsigned int event, unsigned int reason)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    unsigned long flags;

    if ( !pcpu )
        return;

    local_irq_save(flags);
    schedlog_work_begin(&pcpu->work, schedlog_work_what(event, reason),
                        this_run(pcpu), schedlog_tsc());
    local_irq_restore(flags);
}

void schedlog_end(unsigned int event)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    unsigned long flags;

    if ( !pcpu )
        return;

    local_irq_save(flags);
    schedlog_work_end(&pcpu->work, event, current->schedlog_acct,
                      this_run(pcpu), schedlog_tsc());
    local_irq_restore(flags);

    /* IPIs of arm64 count as no interrupts, but come with these disabled. */
    if ( unlikely(pcpu->work.used > SCHEDLOG_WORK_MANY) && !in_irq() &&
         local_irq_is_enabled() )
        schedlog_work_tick(pcpu);
}

void schedlog_softirq(unsigned int nr)
{
    unsigned int reason;

    switch ( nr )
    {
    case TIMER_SOFTIRQ:
        reason = XEN_SCHEDLOG_SOFTIRQ_TIMER;
        break;

    case SCHEDULE_SOFTIRQ:
    case SCHED_SLAVE_SOFTIRQ:
        reason = XEN_SCHEDLOG_SOFTIRQ_SCHEDULE;
        break;

    case RCU_SOFTIRQ:
        reason = XEN_SCHEDLOG_SOFTIRQ_RCU;
        break;

    case TASKLET_SOFTIRQ:
        reason = XEN_SCHEDLOG_SOFTIRQ_TASKLET;
        break;

    default:
        reason = XEN_SCHEDLOG_SOFTIRQ_OTHER;
        break;
    }

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
