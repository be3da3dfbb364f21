/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs what is left of a vCPU's budget when its scheduler gives it the next
 * one, and whether the vCPU missed its deadline.
 *
 * A vCPU that slept for a part of its period could not use all of its budget,
 * which is no fault of the scheduler's.  So the time counts for which it was
 * awake, by its runstates.
 */

#include <xen/irq.h>
#include <xen/percpu.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/time.h>

#include "area.h"

/* How long @v was runnable, with a pCPU or without, until @now. */
static s_time_t awake_ns(const struct vcpu *v, s_time_t now)
{
    const struct vcpu_runstate_info *r = &v->runstate;
    s_time_t awake = r->time[RUNSTATE_running] + r->time[RUNSTATE_runnable];

    if ( r->state == RUNSTATE_running || r->state == RUNSTATE_runnable )
        awake += now - r->state_entry_time;

    return awake;
}

/* A vCPU that woke after @end was asleep at @end. */
static bool wanted_to_run(const struct vcpu *v, s_time_t end)
{
    const struct vcpu_runstate_info *r = &v->runstate;

    return r->state == RUNSTATE_running ||
           (r->state == RUNSTATE_runnable && r->state_entry_time < end);
}

/*
 * The schedule lock of @unit is held.  With core scheduling, the first vCPU
 * stands for the others.  If the last row is older than the period, it is not
 * known for how long the vCPU was awake in it.
 */
void schedlog_replenish(const struct sched_unit *unit, s_time_t left,
                        s_time_t budget, s_time_t begin, s_time_t end)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    struct vcpu *v = unit->vcpu_list;
    s_time_t now = NOW(), awake = awake_ns(v, now);
    uint32_t counter = min_t(s_time_t, max(left, (s_time_t)0),
                             XEN_SCHEDLOG_REPLENISH_LEFT_MASK);

    if ( counter && wanted_to_run(v, end) && v->schedlog_replenished >= begin &&
         awake - v->schedlog_awake >= budget )
        counter |= XEN_SCHEDLOG_REPLENISH_MISSED;

    v->schedlog_replenished = now;
    v->schedlog_awake = awake;

    /* An interrupt that wakes a vCPU can come here. */
    if ( pcpu && !in_irq() )
        schedlog_record(&pcpu->cpu, XEN_SCHEDLOG_EV_REPLENISH,
                        v->schedlog_acct, XEN_SCHEDLOG_ACCT_NONE, counter);
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
