/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stops: a domain pauses inside of the very hypercall by which it says where
 * it is.
 *
 * Whoever reads the log is told of a mark when the domain has gone on long ago.
 * A stop is for those who want to look at it as it was then.  It is armed for
 * one mark, and only while marks are logged: when the lease of the log ends
 * nobody is stopped any more.
 *
 * The pause is that of XEN_DOMCTL_pausedomain, with a note that it is a stop:
 * a scheduler which was killed in between leaves a domain which its successor
 * can tell from those which an operator has paused.
 */

#include <xen/event.h>
#include <xen/sched.h>
#include <xen/schedlog.h>

#include "events.h"

bool schedlog_stops_at(const struct domain *d, uint32_t code)
{
    return d->schedlog_stop.state == XEN_SCHEDLOG_STOP_ARMED &&
           !((code ^ d->schedlog_stop.code) & d->schedlog_stop.mask) &&
           (schedlog_events_on() & (1U << XEN_SCHEDLOG_EV_MARK));
}

/* -ERESTART: somebody else pauses the domain. */
int schedlog_begin_stop(void)
{
    return domain_pause_except_self(current->domain);
}

/*
 * Nobody else can change the stop meanwhile: that takes the domain to be
 * paused, the current vCPU included.
 */
void schedlog_end_stop(uint32_t code)
{
    struct domain *d = current->domain;

    /* Another vCPU may have been here before. */
    if ( schedlog_stops_at(d, code) )
    {
        d->schedlog_stop.code = code;
        d->schedlog_stop.state = XEN_SCHEDLOG_STOP_STOPPED;
        domain_pause_by_systemcontroller_nosync(d);
        send_global_virq(VIRQ_SCHEDLOG);
    }

    domain_unpause_except_self(d);
}

static int pause_now(struct domain *d)
{
    int rc;

    if ( d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED )
        return -EBUSY;

    rc = domain_pause_by_systemcontroller(d);
    if ( !rc )
        d->schedlog_stop.state = XEN_SCHEDLOG_STOP_STOPPED;

    return rc;
}

static int resume(struct domain *d)
{
    bool stopped = d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED;

    d->schedlog_stop.state = XEN_SCHEDLOG_STOP_OFF;

    return stopped ? domain_unpause_by_systemcontroller(d) : 0;
}

static int change(struct domain *d, const struct xen_domctl_schedlog_stop *op)
{
    switch ( op->op )
    {
    case XEN_SCHEDLOG_STOP_arm:
        if ( d->schedlog_stop.state != XEN_SCHEDLOG_STOP_OFF )
            return -EBUSY;
        d->schedlog_stop.code = op->code;
        d->schedlog_stop.mask = op->mask;
        d->schedlog_stop.state = XEN_SCHEDLOG_STOP_ARMED;
        return 0;

    case XEN_SCHEDLOG_STOP_pause:
        return pause_now(d);

    case XEN_SCHEDLOG_STOP_resume:
        return resume(d);

    case XEN_SCHEDLOG_STOP_forget:
        d->schedlog_stop.state = XEN_SCHEDLOG_STOP_OFF;
        return 0;

    default:
        return -EOPNOTSUPP;
    }
}

int schedlog_change_stop(struct domain *d, struct xen_domctl_schedlog_stop *op)
{
    int rc = 0;

    if ( op->op != XEN_SCHEDLOG_STOP_query )
    {
        /* Nobody would be there to let it go again. */
        if ( d == current->domain || is_hardware_domain(d) )
            return -EINVAL;

        domain_pause(d);
        rc = change(d, op);
        domain_unpause(d);
    }

    op->state = d->schedlog_stop.state;
    op->code = d->schedlog_stop.code;

    return rc;
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
