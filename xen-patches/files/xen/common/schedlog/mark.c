/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs marks, by which a domain reports its progress.
 *
 * This is the only part of the log facility that unprivileged domains can
 * reach, and only if a privileged domain allows it to them.  While the event is
 * off, or not routed, a mark is a hypercall without effect.
 */

#include <xen/guest_access.h>
#include <xen/hypercall.h>
#include <xen/sched.h>
#include <xen/schedlog.h>

#include <public/sched.h>

#include "lease.h"

int schedlog_allow_mark(struct domain *d,
                        const struct xen_domctl_schedlog_mark *op)
{
    if ( op->pad || op->allow > 1 )
        return -EINVAL;
    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;

    d->schedlog_mark = op->allow;

    return 0;
}

long schedlog_op_mark(XEN_GUEST_HANDLE_PARAM(void) arg)
{
    const struct domain *d = current->domain;
    struct sched_schedlog_mark mark;
    bool stops;

    if ( !d->schedlog_mark )
        return -EPERM;

    if ( copy_from_guest(&mark, arg, 1) )
        return -EFAULT;
    if ( mark.pad )
        return -EINVAL;

    stops = d->schedlog_stop.state && schedlog_stops_at(d, mark.code);
    if ( unlikely(stops) && schedlog_begin_stop() )
        return hypercall_create_continuation(__HYPERVISOR_sched_op, "ih",
                                             SCHEDOP_schedlog_mark, arg);

    SCHEDLOG(MARK, schedlog_mark, mark.code);

    if ( unlikely(stops) )
        schedlog_end_stop(mark.code);

    return 0;
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
