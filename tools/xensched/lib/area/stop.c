/* SPDX-License-Identifier: LGPL-2.1-only */
/* Arms, finds and ends stops of domains by hypercall. */
#include <errno.h>
#include <string.h>

#include <xentoollog.h>

#include <xensched/stop.h>

#include "area-parts.h"
#include "hypercall.h"

static int stop_failed(uint32_t domid, int code, struct xensched_error *err)
{
    switch (code) {
    case ESRCH:
        return xensched_fail(err, ESRCH, "there is no domain %u", domid);
    case EEXIST:
        return xensched_fail(err, EEXIST, "cannot stop or resume domain %u: the scheduler "
                             "that holds the log is not xenschedd, or does not answer", domid);
    case EBUSY:
        return xensched_fail(err, EBUSY, "domain %u is stopped, or to be "
                             "stopped, by another reaction or sample", domid);
    case EINVAL:
        return xensched_fail(err, EINVAL, "domain %u cannot be stopped: no program could "
                             "resume it", domid);
    case ENOSYS:
    case EOPNOTSUPP:
        return xensched_fail(err, EOPNOTSUPP, "this Xen cannot stop a domain "
                             "at a mark");
    default:
        return xensched_fail(err, code, "cannot stop or resume domain %u: %s", domid,
                             strerror(code));
    }
}

static int do_stop_call(uint32_t domid, struct xen_domctl_schedlog_stop *op,
                        struct xensched_error *err)
{
    /* Libxc's logger is off, because this library reports errors. */
    xentoollog_logger *quiet = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    xc_interface *xch;
    int code = 0;

    op->cookie = area_shown_cookie();
    errno = 0;
    xch = quiet ? xc_interface_open(quiet, NULL, 0) : NULL;
    if (!xch)
        code = errno ? errno : ENOMEM;
    else if (hypercall_stop(xch, domid, op))
        code = errno ? errno : EIO;
    if (xch)
        xc_interface_close(xch);
    if (quiet)
        xtl_logger_destroy(quiet);

    return code ? stop_failed(domid, code, err) : 0;
}

int xensched_stop_state(uint32_t domid, enum xensched_stop *state,
                        struct xensched_error *err)
{
    struct xen_domctl_schedlog_stop op = { .op = XEN_SCHEDLOG_STOP_query };
    int rc = do_stop_call(domid, &op, err);

    *state = rc ? XENSCHED_STOP_OFF : (enum xensched_stop)op.state;

    return rc;
}

int xensched_stop_arm(uint32_t domid, uint32_t code, uint32_t mask,
                      struct xensched_error *err)
{
    struct xen_domctl_schedlog_stop op = {
        .op = XEN_SCHEDLOG_STOP_arm, .code = code, .mask = mask,
    };

    return do_stop_call(domid, &op, err);
}

int xensched_stop_pause(uint32_t domid, struct xensched_error *err)
{
    struct xen_domctl_schedlog_stop op = { .op = XEN_SCHEDLOG_STOP_pause };

    return do_stop_call(domid, &op, err);
}

int xensched_stop_resume(uint32_t domid, struct xensched_error *err)
{
    struct xen_domctl_schedlog_stop op = { .op = XEN_SCHEDLOG_STOP_resume };

    return do_stop_call(domid, &op, err);
}

int xensched_stop_forget(uint32_t domid, struct xensched_error *err)
{
    struct xen_domctl_schedlog_stop op = { .op = XEN_SCHEDLOG_STOP_forget };

    return do_stop_call(domid, &op, err);
}
