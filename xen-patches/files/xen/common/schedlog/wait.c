/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs how long, why and for which domains vCPUs wait, and where they run.
 * One log site, where the runstate of a vCPU changes, serves all of these
 * events.
 *
 * The site may be reached in hard interrupt context, when an interrupt wakes a
 * vCPU: that is only noted.  Rows are written when a vCPU begins to run, which
 * no interrupt does, or when it has to stop waiting.  The schedule lock of the
 * vCPU's pCPU is held, and guards the pCPU's holders as well.
 */

#include <xen/cpumask.h>
#include <xen/irq.h>
#include <xen/percpu.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/time.h>

#include "area.h"

/* Which of the events are on. */
static uint32_t __read_mostly waits_on;

static bool is_on(unsigned int event)
{
    return waits_on & (1U << event);
}

/*
 * If all of these events were off, the site was a NOP, so the holders of the
 * pCPUs meanwhile are unknown.
 */
void schedlog_wait_start(uint32_t events)
{
    unsigned int cpu;

    events &= SCHEDLOG_WAIT_EVENTS;

    schedlog_off_start(events & ~waits_on, waits_on);

    if ( events && !waits_on )
        for_each_online_cpu ( cpu )
            if ( per_cpu(schedlog_pcpu, cpu) )
                schedlog_forget_holders(&per_cpu(schedlog_pcpu, cpu)->holders);

    waits_on = events;
}

/*
 * Every part is logged if the wait is, so that parts make up waits whatever
 * the threshold is.
 */
static void noinline log_parts(struct schedlog_cpu *cpu, uint16_t acct,
                               const struct schedlog_holders *holders,
                               uint64_t begin, uint64_t end)
{
    struct schedlog_wait_part part[SCHEDLOG_WAIT_PARTS];
    unsigned int nr = schedlog_divide_wait(holders, begin, end, part), i;

    for ( i = 0; i < nr; i++ )
        schedlog_leave(cpu, XEN_SCHEDLOG_EV_WAIT_PART, acct, part[i].acct,
                       schedlog_tsc_to_ns(part[i].ticks));
}

/* Returns why @v waits: XEN_SCHEDLOG_REASON_*. */
static always_inline unsigned int reason_of(const struct vcpu *v)
{
    unsigned int reason = schedlog_left_code(v->schedlog_left);

    if ( reason == XEN_SCHEDLOG_LEFT_BLOCKED )
        reason = XEN_SCHEDLOG_REASON_SLEPT | (v->schedlog_waker >> 16);
    else if ( reason == XEN_SCHEDLOG_LEFT_POLLING )
        reason = XEN_SCHEDLOG_REASON_SLEPT | XEN_SCHEDLOG_REASON_POLLED |
                 (v->schedlog_waker >> 16);

    if ( unlikely(v->schedlog_capped) )
        reason |= XEN_SCHEDLOG_REASON_CAPPED;
    else if ( unlikely(v->schedlog_paused) )
        reason |= XEN_SCHEDLOG_REASON_PAUSED;

    return reason;
}

/*
 * Unlike other events, waits within an accounting domain are logged.  @cut is
 * XEN_SCHEDLOG_REASON_CUT if @v is not going to run.
 */
static void noinline log_wait(const struct vcpu *v,
                              const struct schedlog_holders *holders,
                              uint64_t end, unsigned int cut)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    uint64_t begin = v->schedlog_woken_tsc;
    uint16_t acct = v->schedlog_acct, holder;
    unsigned int event = v->schedlog_woken & 1 ? XEN_SCHEDLOG_EV_PREEMPT_DELAY
                                               : XEN_SCHEDLOG_EV_WAKE_DELAY;

    ASSERT(!in_irq());

    if ( !pcpu || !is_on(event) || !schedlog_enter(&pcpu->cpu, event, acct) )
        return;

    end = max(begin, end);
    holder = schedlog_only_holder(holders, begin);
    if ( schedlog_leave_for(&pcpu->cpu, event, acct, holder,
                            reason_of(v) | cut,
                            schedlog_tsc_to_ns(end - begin)) &&
         unlikely(holder == XEN_SCHEDLOG_ACCT_NONE) &&
         is_on(XEN_SCHEDLOG_EV_WAIT_PART) )
        log_parts(&pcpu->cpu, acct, holders, begin, end);
}

/*
 * @v becomes runnable.  The instant is noted twice: as state_entry_time is
 * going to be, to recognise the wait, and by the TSC, which pCPUs have in
 * common, whereas their system times differ by microseconds.
 */
static void begin_wait(struct vcpu *v, bool ran, s_time_t now)
{
    s_time_t entered = v->runstate.state_entry_time;

    v->schedlog_woken = (max(now, entered) & ~1) | ran;
    v->schedlog_woken_tsc = schedlog_tsc();
}

/* Did @v become runnable while the events were on, and has waited since? */
static bool waited(const struct vcpu *v)
{
    uint32_t since = v->runstate.state_entry_time;

    return v->runstate.state == RUNSTATE_runnable &&
           !((v->schedlog_woken ^ since) & ~1U);
}

/*
 * @v is paused, or moved to the queue of another pCPU, before it could run.
 * The row goes to the log of this pCPU, which may be another one.
 */
static void noinline cut_wait(const struct vcpu *v)
{
    const struct schedlog_pcpu *pcpu = per_cpu(schedlog_pcpu, v->processor);

    if ( pcpu && !in_irq() )
        log_wait(v, &pcpu->holders, schedlog_tsc(), XEN_SCHEDLOG_REASON_CUT);
}

/* What counts is where a vCPU runs, not where a scheduler has it meanwhile. */
static void noinline log_move(struct vcpu *v)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    unsigned int from = v->schedlog_ran_on, to = v->processor + 1;

    v->schedlog_ran_on = to;
    if ( pcpu && from )
        schedlog_record(&pcpu->cpu, XEN_SCHEDLOG_EV_MIGRATE, v->schedlog_acct,
                        XEN_SCHEDLOG_ACCT_NONE, ((from - 1) << 16) | (to - 1));
}

/*
 * @v gets its pCPU.  With core scheduling this may run on another pCPU of the
 * core, to whose log rows go.
 */
static void noinline begin_run(struct vcpu *v)
{
    struct schedlog_pcpu *pcpu = per_cpu(schedlog_pcpu, v->processor);
    uint64_t tsc = schedlog_tsc();

    if ( !pcpu )
        return;

    if ( waited(v) )
        log_wait(v, &pcpu->holders, tsc, 0);
    if ( is_on(XEN_SCHEDLOG_EV_OFF_CPU) )
        schedlog_log_off(v, tsc);
    if ( v->schedlog_ran_on != v->processor + 1 &&
         is_on(XEN_SCHEDLOG_EV_MIGRATE) )
        log_move(v);

    schedlog_stays(v);
    schedlog_hold(&pcpu->holders, v->schedlog_acct, tsc);
}

/* An idle vCPU gets its pCPU. */
static void noinline begin_idle(const struct vcpu *v)
{
    struct schedlog_pcpu *pcpu = per_cpu(schedlog_pcpu, v->processor);

    if ( pcpu )
        schedlog_hold(&pcpu->holders, v->schedlog_acct, schedlog_tsc());
}

/* @v leaves its pCPU, and waits for one from now on if it is runnable. */
static void noinline end_run(struct vcpu *v, int new_state, s_time_t now)
{
    if ( is_on(XEN_SCHEDLOG_EV_OFF_CPU) )
        v->schedlog_off_tsc = schedlog_tsc();

    if ( new_state == RUNSTATE_runnable )
    {
        struct schedlog_pcpu *pcpu = per_cpu(schedlog_pcpu, v->processor);

        begin_wait(v, true, now);
        if ( pcpu )
            schedlog_preempt(&pcpu->holders, v->schedlog_woken_tsc);
    }

    schedlog_leaves(v, new_state);
}

/* @v, which has no pCPU, begins to wait for one, or has to stop waiting. */
static void noinline change_off(struct vcpu *v, int new_state, s_time_t now)
{
    if ( new_state == RUNSTATE_runnable )
        return begin_wait(v, false, now);

    if ( waited(v) )
        cut_wait(v);
    if ( new_state == RUNSTATE_offline )
        schedlog_kept_off(v);
}

/* Each branch is a jump, so none saves registers for another one. */
void schedlog_wait(struct vcpu *v, int new_state, s_time_t now)
{
    if ( is_idle_vcpu(v) )
    {
        if ( new_state == RUNSTATE_running )
            begin_idle(v);
    }
    else if ( new_state == RUNSTATE_running )
        begin_run(v);
    else if ( v->runstate.state == RUNSTATE_running )
        end_run(v, new_state, now);
    else
        change_off(v, new_state, now);
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
