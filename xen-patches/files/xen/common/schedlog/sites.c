/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Implements the functions that log sites call: they find the accounting
 * domain that an event is charged to, and record a row.  (Exit events are in
 * stay.c and wait.c.)
 *
 * These functions run inside the operation that they observe.  They take no
 * lock and cannot fail.
 *
 * A site may be reached in hard interrupt context, as that of MIGRATE is when
 * an interrupt wakes a vCPU, but nothing is recorded there: record() must not
 * interrupt itself.
 */

#include <xen/event.h>
#include <xen/irq.h>
#include <xen/percpu.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/time.h>

#include "area.h"

DEFINE_PER_CPU_READ_MOSTLY(struct schedlog_pcpu *, schedlog_pcpu);

static always_inline void record(unsigned int event,
                                 uint16_t current_, uint16_t correspondent,
                                 uint64_t count)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);

    ASSERT(!in_irq());

    if ( pcpu )
        schedlog_record(&pcpu->cpu, event, current_, correspondent, count);
}

/* The current vCPU accessed something that it shares with @rd. */
static always_inline void access(unsigned int event,
                                 const struct domain *rd)
{
    record(event, current->schedlog_acct, rd->schedlog_acct, 1);
}

/* Neither loopback nor IPIs, even if vCPUs have bindings of their own. */
void schedlog_evtchn_send(const struct domain *rd)
{
    if ( rd != current->domain )
        access(XEN_SCHEDLOG_EV_EVTCHN_SEND, rd);
}

/*
 * A channel that is pending already does not reach the receiver again, and Xen
 * receives the notifications of its own channels itself.
 */
void schedlog_evtchn_recv(const struct domain *rd, const struct evtchn *rchn)
{
    if ( rd != current->domain && !rchn->xen_consumer &&
         !evtchn_is_pending(rd, rchn) )
        record(XEN_SCHEDLOG_EV_EVTCHN_RECV,
               rd->vcpu[rchn->notify_vcpu_id]->schedlog_acct,
               current->schedlog_acct, 1);
}

void schedlog_grant_map(const struct domain *rd)
{
    access(XEN_SCHEDLOG_EV_GRANT_MAP, rd);
}

void schedlog_grant_unmap(const struct domain *rd)
{
    access(XEN_SCHEDLOG_EV_GRANT_UNMAP, rd);
}

/* @d no longer runs: Xen releases its mapping. */
void schedlog_grant_release(const struct domain *d, const struct domain *rd)
{
    record(XEN_SCHEDLOG_EV_GRANT_UNMAP, d->schedlog_acct, rd->schedlog_acct, 1);
}

/*
 * The copying domain can be one end, or neither.  A copy lies within a page of
 * each end, and counts as one access, however many bytes it has.
 */
void schedlog_grant_copy(const struct domain *src, const struct domain *dest)
{
    const struct domain *d = current->domain;

    if ( src != d )
        access(XEN_SCHEDLOG_EV_GRANT_COPY, src);
    if ( dest != d && dest != src )
        access(XEN_SCHEDLOG_EV_GRANT_COPY, dest);
}

/*
 * The number that toolstacks see: without the pages that Xen keeps for the
 * domain.  This is domain_tot_pages() for callers without the lock: Xen counts
 * such pages as kept first, and then as the domain's.
 */
static unsigned int pages_of(const struct domain *d)
{
    unsigned int kept = ACCESS_ONCE(d->extra_pages);
    unsigned int all = ACCESS_ONCE(d->tot_pages);

    return all - min(all, kept);
}

static void log_memory(const struct domain *d)
{
    record(XEN_SCHEDLOG_EV_MEMORY, d->schedlog_acct, XEN_SCHEDLOG_ACCT_NONE,
           pages_of(d));
}

/*
 * Logs the present number, which is not older than what this pCPU has seen.  If
 * the domain no longer exists, a row with 0 was logged before.
 */
void schedlog_memory_tick(struct schedlog_pcpu *pcpu)
{
    struct domain *d;

    if ( !pcpu->memory_changed )
        return;

    pcpu->memory_changed = false;
    d = rcu_lock_domain_by_id(pcpu->memory_domid);
    if ( !d )
        return;

    log_memory(d);
    rcu_unlock_domain(d);
}

/*
 * Domains are built and destroyed page by page.  Each pCPU logs one row per
 * tick, and one when it changes the pages of another domain.
 */
void schedlog_memory(const struct domain *d)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);

    /* Owners of pages that are not domains. */
    if ( !pcpu || d->domain_id >= DOMID_FIRST_RESERVED )
        return;

    if ( pcpu->memory_changed && pcpu->memory_domid != d->domain_id )
        schedlog_memory_tick(pcpu);

    pcpu->memory_domid = d->domain_id;
    pcpu->memory_changed = d->tot_pages;
    if ( !d->tot_pages )
        log_memory(d);
}

void schedlog_runq(unsigned int cpu)
{
    unsigned int queue, length = sched_runq_length(cpu, &queue);

    record(XEN_SCHEDLOG_EV_RUNQ, XEN_SCHEDLOG_ACCT_XEN, XEN_SCHEDLOG_ACCT_NONE,
           (queue << XEN_SCHEDLOG_RUNQ_QUEUE_SHIFT) |
           min(length, XEN_SCHEDLOG_RUNQ_LENGTH_MASK));
}

void schedlog_mark(uint32_t code)
{
    record(XEN_SCHEDLOG_EV_MARK, current->schedlog_acct,
           XEN_SCHEDLOG_ACCT_NONE, code);
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
