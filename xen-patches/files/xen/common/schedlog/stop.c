/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Implements stops: a domain pauses inside of the hypercall that logs its mark.
 *
 * The reader of the log sees a mark long after the domain has continued.  A
 * stop keeps the domain in the state that it had at the mark.  It is armed for
 * one mark, and has an effect only while marks are logged: after the lease of
 * the log has ended, no domain stops.
 *
 * A stop holds a pause reference of its own, in addition to that of
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

/* Returns 0, or -ERESTART if another vCPU pauses the domain. */
int schedlog_begin_stop(void)
{
    return domain_pause_except_self(current->domain);
}

/*
 * The stop cannot change meanwhile: to change it, the domain is paused, the
 * current vCPU included.
 */
void schedlog_end_stop(uint32_t code)
{
    struct domain *d = current->domain;

    /* Another vCPU may have stopped at a mark before. */
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

static void end_pause(struct domain *d)
{
    bool stopped = d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED;

    d->schedlog_stop.state = XEN_SCHEDLOG_STOP_OFF;
    if ( stopped )
        domain_unpause(d);
}

/* Passes a stopped domain on to the toolstack, which can unpause it. */
static int hand_over(struct domain *d)
{
    int rc = 0;

    if ( d->schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED )
        rc = domain_pause_by_systemcontroller(d);
    if ( !rc )
        end_pause(d);

    return rc;
}

static int change_state(struct domain *d,
                        const struct xen_domctl_schedlog_stop *op)
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
        end_pause(d);
        return 0;

    case XEN_SCHEDLOG_STOP_forget:
        return hand_over(d);

    default:
        return -EOPNOTSUPP;
    }
}

int schedlog_change_stop(struct domain *d, struct xen_domctl_schedlog_stop *op)
{
    int rc = 0;

    if ( op->op != XEN_SCHEDLOG_STOP_query )
    {
        /* No domain could end the stop of these. */
        if ( d == current->domain || is_hardware_domain(d) )
            return -EINVAL;
        if ( !schedlog_may_control(op->cookie) )
            return -EEXIST;

        domain_pause(d);
        rc = change_state(d, op);
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
