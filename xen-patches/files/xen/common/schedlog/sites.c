/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the log sites call: find out whom an event is charged to and record it.
 *
 * Everything here runs in the middle of what it observes, for each event.  It
 * takes no lock and cannot fail.
 */

#include <xen/irq.h>
#include <xen/percpu.h>
#include <xen/schedlog.h>
#include <xen/time.h>

#include "area.h"

/* When SERVICE_NS was turned on: nothing is known of the time before. */
s_time_t __read_mostly schedlog_service_since;

void schedlog_service_ns(const struct vcpu *prev, const struct vcpu *next,
                         s_time_t now)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);
    s_time_t entered;

    /* An accounting domain is left only when another one is entered. */
    if ( !pcpu || prev->schedlog_acct == next->schedlog_acct )
        return;

    entered = max(pcpu->entered, schedlog_service_since);
    pcpu->entered = now;

    schedlog_record(&pcpu->cpu, XEN_SCHEDLOG_EV_SERVICE_NS,
                    prev->schedlog_acct, next->schedlog_acct,
                    max(now - entered, (s_time_t)0));
}

/* The current vCPU accessed something that it shares with @rd. */
static always_inline void access(enum xen_schedlog_event event,
                                 const struct domain *rd)
{
    struct schedlog_pcpu *pcpu = this_cpu(schedlog_pcpu);

    ASSERT(!in_irq());

    if ( pcpu )
        schedlog_record(&pcpu->cpu, event, current->schedlog_acct,
                        rd->schedlog_acct, 1);
}

void schedlog_evtchn_send(const struct domain *rd)
{
    access(XEN_SCHEDLOG_EV_EVTCHN_SEND, rd);
}

void schedlog_grant_map(const struct domain *rd)
{
    access(XEN_SCHEDLOG_EV_GRANT_MAP, rd);
}

void schedlog_grant_unmap(const struct domain *rd)
{
    access(XEN_SCHEDLOG_EV_GRANT_UNMAP, rd);
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
