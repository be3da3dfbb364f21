/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the part of the log facility that the rest of Xen uses.
 *
 * A log site is one line where the event happens:
 *
 *     SCHEDLOG(EVTCHN_SEND, schedlog_evtchn_send, rd);
 *
 * While the event is off this is one NOP; neither the call nor its arguments
 * are evaluated.  A site can be anywhere but in NMI and #MC context and in init
 * code; nothing can be recorded in hard interrupt context.  See
 * public/schedlog.h for the events.
 */
#ifndef XEN_SCHEDLOG_H
#define XEN_SCHEDLOG_H

#include <xen/errno.h>
#include <xen/jump_label.h>
#include <xen/sched.h>

#include <public/domctl.h>
#include <public/sysctl.h>

#ifdef CONFIG_SCHEDLOG

/*
 * One label per event, so that an event is turned on with all of its sites.
 * Service time and performance counters share the label, and the site, of
 * SERVICE_NS; waits and MIGRATE share those of WAKE_DELAY.  The sites of
 * OFF_CPU note the reasons of waits, and are on with them as well.
 */
extern struct jump_label schedlog_label[XEN_SCHEDLOG_NR_EVENTS];

#define SCHEDLOG(event, fn, args...) \
    jump_label_call(schedlog_label[XEN_SCHEDLOG_EV_ ## event], fn, ## args)

/* vCPUs @prev and @next differ; @next gets the pCPU at @now. */
void schedlog_switch(const struct vcpu *prev, const struct vcpu *next,
                     s_time_t now);

/* The current vCPU did this, @rd is at the other end. */
void schedlog_evtchn_send(const struct domain *rd);
void schedlog_grant_map(const struct domain *rd);
void schedlog_grant_unmap(const struct domain *rd);

/* The dying @d has a page of @rd mapped no longer. */
void schedlog_grant_release(const struct domain *d, const struct domain *rd);

/* The current vCPU notifies @rchn of @rd. */
void schedlog_evtchn_recv(const struct domain *rd, const struct evtchn *rchn);

/* The current vCPU copied from @src to @dest. */
void schedlog_grant_copy(const struct domain *src, const struct domain *dest);

/* The number of pages which @d has changed. */
void schedlog_memory(const struct domain *d);

/* The runstate of @v is about to become @new_state, as of @now. */
void schedlog_wait(struct vcpu *v, int new_state, s_time_t now);

/* The current vCPU yields, or Xen does for it, as XEN_SCHEDLOG_LEFT_* says. */
void schedlog_yields(unsigned int left);

/* @unit, unless it is NULL, has used up a budget, or its slot. */
void schedlog_no_budget(const struct sched_unit *unit);

/* @unit gets its next budget.  @left: of that of the period @begin, @end. */
void schedlog_replenish(const struct sched_unit *unit, s_time_t left,
                        s_time_t budget, s_time_t begin, s_time_t end);

/* @v keeps its pCPU. */
void schedlog_stays(struct vcpu *v);

/* These wake @v, if it sleeps. */
void schedlog_evtchn_wakes(struct vcpu *v, const struct evtchn *evtchn);
void schedlog_timer_wakes(struct vcpu *v);
void schedlog_ipi_wakes(struct vcpu *v);
void schedlog_pirq_wakes(struct vcpu *v);

/* The same, by what a GIC injects; @desc: its interrupt, if a device has it. */
struct irq_desc;
void schedlog_virq_wakes(struct vcpu *v, unsigned int virq,
                         const struct irq_desc *desc);

/*
 * Xen begins work for the current vCPU, or ends the innermost work of @event.
 * These may be called in hard interrupt context.
 */
void schedlog_begin(unsigned int event, unsigned int reason);
void schedlog_end(unsigned int event);
#define SCHEDLOG_BEGIN(event, reason) \
    SCHEDLOG(event, schedlog_begin, XEN_SCHEDLOG_EV_ ## event, reason)
#define SCHEDLOG_END(event) \
    SCHEDLOG(event, schedlog_end, XEN_SCHEDLOG_EV_ ## event)

/* The same, by the numbers of Xen or of the CPU. */
void schedlog_softirq(unsigned int nr);
void schedlog_irq(const struct irq_desc *desc);
void schedlog_sgi(unsigned int sgi);
void schedlog_apic_irq(unsigned int vector);
void schedlog_flush(unsigned int flags);
void schedlog_svm_exit(uint64_t code);
void schedlog_vmx_exit(unsigned long reason);

/* Sites of the log facility itself. */
void schedlog_mark(uint32_t code);
void schedlog_runq(unsigned int cpu);
struct schedlog_pcpu;
void schedlog_memory_tick(struct schedlog_pcpu *pcpu);

static inline void schedlog_init_vcpu(struct vcpu *v)
{
    v->schedlog_acct = is_idle_vcpu(v) ? XEN_SCHEDLOG_ACCT_XEN
                                       : v->domain->schedlog_acct;
}

struct xen_domctl_schedlog_bind;
struct xen_domctl_schedlog_mark;
struct xen_domctl_schedlog_times;
struct xen_domctl_schedlog_clock;
struct xen_domctl_schedlog_stop;

long schedlog_sysctl(struct xen_sysctl_schedlog *op);
int schedlog_bind(struct domain *d, const struct xen_domctl_schedlog_bind *op);
int schedlog_binding(const struct domain *d,
                     struct xen_domctl_schedlog_bind *op);
int schedlog_owners(struct xen_sysctl_schedlog_owners *op);
int schedlog_times(const struct domain *d,
                   struct xen_domctl_schedlog_times *op);
int schedlog_clock(const struct domain *d,
                   struct xen_domctl_schedlog_clock *op);
int schedlog_allow_mark(struct domain *d,
                        const struct xen_domctl_schedlog_mark *op);
long schedlog_op_mark(XEN_GUEST_HANDLE_PARAM(void) arg);

/* Is the current domain @d to stop at this mark, now? */
bool schedlog_stops_at(const struct domain *d, uint32_t code);
/*
 * Before the mark is logged, the domain's other vCPUs are paused; after it, all
 * of the domain.  Returns 0, or -ERESTART if another vCPU pauses it.
 */
int schedlog_begin_stop(void);
void schedlog_end_stop(uint32_t code);
int schedlog_change_stop(struct domain *d, struct xen_domctl_schedlog_stop *op);

/*
 * A number that pCPUs have in common if they share a last-level cache.
 * XEN_SCHEDLOG_NO_CACHE: it is unknown which do.
 */
uint32_t schedlog_cache_of(unsigned int cpu);

#else /* !CONFIG_SCHEDLOG */

#define SCHEDLOG(event, fn, args...) ((void)0)
#define SCHEDLOG_BEGIN(event, reason) ((void)0)
#define SCHEDLOG_END(event) ((void)0)

static inline void schedlog_init_vcpu(struct vcpu *v) {}

#endif /* CONFIG_SCHEDLOG */

#endif /* XEN_SCHEDLOG_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
