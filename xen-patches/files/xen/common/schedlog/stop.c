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
 * A stop holds a pause reference of its own, beside that of
 * XEN_DOMCTL_pausedomain.  A toolstack can neither end a stop nor lose a pause
 * by it.  If a scheduler is killed meanwhile, its successor finds the stopped
 * domains by their state.
 */

#include <xen/event.h>
#include <xen/sched.h>
#include <xen/schedlog.h>

#include "events.h"
#include "lease.h"

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
        domain_pause_nosync(d);
        send_global_virq(VIRQ_SCHEDLOG);
    }

    domain_unpause_except_self(d);
}

static int pause_now(struct domain *d)
{
    if ( d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED )
        return -EBUSY;

    domain_pause(d);
    d->schedlog_stop.state = XEN_SCHEDLOG_STOP_STOPPED;

    return 0;
}

static void resume(struct domain *d)
{
    bool stopped = d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED;

    d->schedlog_stop.state = XEN_SCHEDLOG_STOP_OFF;
    if ( stopped )
        domain_unpause(d);
}

/* One that is stopped is the toolstack's to let go from now on. */
static int forget(struct domain *d)
{
    int rc = 0;

    if ( d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED )
        rc = domain_pause_by_systemcontroller(d);
    if ( !rc )
        resume(d);

    return rc;
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
        resume(d);
        return 0;

    case XEN_SCHEDLOG_STOP_forget:
        return forget(d);

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
        if ( !schedlog_may_control(op->cookie) )
            return -EEXIST;

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
