/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes why vCPUs left their pCPU, and what woke them, for the rows of their
 * waits, and for a row of OFF_CPU when the vCPU runs again.
 *
 * The vCPU's state alone shows neither.  Sites where a vCPU yields,
 * has used its budget up, or is notified note this in struct vcpu; the change
 * of the runstate uses the notes.  Any pCPU makes them, in any context but NMI
 * and #MC: each is one word, and a lost one costs no more than the answer for
 * one row.
 */

#include <xen/event.h>
#include <xen/percpu.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/time.h>

#include "area.h"

/* TSC.  When a vCPU left before this is unknown. */
static uint64_t __read_mostly on_since;

static void forget_notes(struct vcpu *v)
{
    v->schedlog_yields = 0;
    v->schedlog_capped = false;
    v->schedlog_paused = false;
}

/* The scheduler was asked, and the vCPU has a pCPU: keeps it, or gets it. */
void schedlog_stays(struct vcpu *v)
{
    v->schedlog_left = 0;
    forget_notes(v);
    v->schedlog_waker = 0;
}

/* Causes and wakers from before the notes began are unknown. */
static void forget_all_notes(void)
{
    struct domain *d;
    struct vcpu *v;

    rcu_read_lock(&domlist_read_lock);
    for_each_domain ( d )
        for_each_vcpu ( d, v )
            schedlog_stays(v);
    rcu_read_unlock(&domlist_read_lock);
}

void schedlog_off_start(uint32_t events, bool noted)
{
    if ( events & (1U << XEN_SCHEDLOG_EV_OFF_CPU) )
        on_since = schedlog_tsc();

    if ( events && !noted )
        forget_all_notes();
}

/* A pause-loop exit is noted first, and yields as the hypercall does. */
void schedlog_yields(unsigned int left)
{
    if ( !current->schedlog_yields )
        current->schedlog_yields = left;
}

/* Running or queued, @unit waits for its next budget.  NULL: it need not. */
void schedlog_no_budget(const struct sched_unit *unit)
{
    struct vcpu *v;

    if ( !unit )
        return;

    for_each_sched_unit_vcpu ( unit, v )
        v->schedlog_capped = true;
}

/* Only the first one has woken it.  0 is XEN_SCHEDLOG_WOKE_OTHER. */
static void note_waker(struct vcpu *v, unsigned int woke, uint16_t acct)
{
    if ( (v->pause_flags & VPF_blocked) && !v->schedlog_waker )
        v->schedlog_waker = (woke << 16) | acct;
}

void schedlog_timer_wakes(struct vcpu *v)
{
    note_waker(v, XEN_SCHEDLOG_WOKE_TIMER, XEN_SCHEDLOG_ACCT_NONE);
}

/* An interrupt by a vCPU of its domain. */
void schedlog_ipi_wakes(struct vcpu *v)
{
    note_waker(v, XEN_SCHEDLOG_WOKE_IPI, current->schedlog_acct);
}

/* A device of its domain. */
void schedlog_pirq_wakes(struct vcpu *v)
{
    note_waker(v, XEN_SCHEDLOG_WOKE_PIRQ, XEN_SCHEDLOG_ACCT_NONE);
}

/* For a domain Xen may send, while another one runs. */
static uint16_t sender(const struct domain *d)
{
    return current->domain == d ? current->schedlog_acct : d->schedlog_acct;
}

/* The caller keeps @evtchn from being closed. */
void schedlog_evtchn_wakes(struct vcpu *v, const struct evtchn *evtchn)
{
    switch ( evtchn->state )
    {
    case ECS_INTERDOMAIN:
        note_waker(v, XEN_SCHEDLOG_WOKE_EVTCHN,
                   sender(evtchn->u.interdomain.remote_dom));
        break;

    case ECS_IPI:
        note_waker(v, XEN_SCHEDLOG_WOKE_IPI, sender(v->domain));
        break;

    case ECS_VIRQ:
        note_waker(v, evtchn->u.virq == VIRQ_TIMER ? XEN_SCHEDLOG_WOKE_TIMER
                                                   : XEN_SCHEDLOG_WOKE_VIRQ,
                   XEN_SCHEDLOG_ACCT_NONE);
        break;

    case ECS_PIRQ:
        schedlog_pirq_wakes(v);
        break;
    }
}

static unsigned int why_left(const struct vcpu *v, int new_state)
{
    if ( new_state == RUNSTATE_blocked )
        return test_bit(v->vcpu_id, v->domain->poll_mask)
               ? XEN_SCHEDLOG_LEFT_POLLING : XEN_SCHEDLOG_LEFT_BLOCKED;
    if ( v->schedlog_capped )
        return XEN_SCHEDLOG_LEFT_CAPPED;
    if ( new_state == RUNSTATE_runnable )
        return v->schedlog_yields ?: XEN_SCHEDLOG_LEFT_PREEMPTED;

    if ( v->pause_flags & VPF_migrating )
        return XEN_SCHEDLOG_LEFT_MIGRATED;

    return v->pause_flags & VPF_blocked_in_xen ? XEN_SCHEDLOG_LEFT_IN_XEN
                                               : XEN_SCHEDLOG_LEFT_PAUSED;
}

/* @v leaves its pCPU. */
void schedlog_leaves(struct vcpu *v, int new_state)
{
    v->schedlog_left = schedlog_left_code(why_left(v, new_state));
    forget_notes(v);
}

/* @v has no pCPU and may not run.  A used up budget pauses it as well. */
void schedlog_kept_off(struct vcpu *v)
{
    if ( v->pause_flags & VPF_parked )
        v->schedlog_capped = true;
    else if ( !(v->pause_flags & VPF_migrating) )
        v->schedlog_paused = true;
}

static uint32_t off_counter(const struct vcpu *v, unsigned int woke,
                            uint64_t ticks)
{
    const unsigned int shift = XEN_SCHEDLOG_OFF_TIME_SHIFT;
    uint64_t time = (schedlog_tsc_to_ns(ticks) + (1U << (shift - 1))) >> shift;

    return (schedlog_left_code(v->schedlog_left) <<
            XEN_SCHEDLOG_OFF_LEFT_SHIFT) |
           (v->schedlog_capped ? XEN_SCHEDLOG_OFF_CAPPED :
            v->schedlog_paused ? XEN_SCHEDLOG_OFF_PAUSED : 0) |
           (woke << XEN_SCHEDLOG_OFF_WOKE_SHIFT) |
           min_t(uint64_t, time, XEN_SCHEDLOG_OFF_TIME_MASK);
}

/*
 * @v gets a pCPU at @end.  Unlike other events, those within an accounting
 * domain are logged.
 */
void schedlog_log_off(const struct vcpu *v, uint64_t end)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    uint64_t begin = v->schedlog_off_tsc;
    unsigned int left = schedlog_left_code(v->schedlog_left);
    uint32_t waker = v->schedlog_waker;
    uint16_t acct = v->schedlog_acct;

    if ( !pcpu || begin < on_since ||
         !schedlog_enter(&pcpu->cpu, XEN_SCHEDLOG_EV_OFF_CPU, acct) )
        return;

    /* Nothing has woken a vCPU that did not sleep, whatever was noted. */
    if ( !waker || (left != XEN_SCHEDLOG_LEFT_BLOCKED &&
                    left != XEN_SCHEDLOG_LEFT_POLLING) )
        waker = (XEN_SCHEDLOG_WOKE_OTHER << 16) | XEN_SCHEDLOG_ACCT_NONE;

    schedlog_leave(&pcpu->cpu, XEN_SCHEDLOG_EV_OFF_CPU, acct, waker & 0xffff,
                   off_counter(v, waker >> 16, max(end, begin) - begin));
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
