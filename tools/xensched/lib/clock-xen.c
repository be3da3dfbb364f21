/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock-xen.c - what Xen says of the TSC of a domain's vCPUs.
 *
 * A vCPU has the host's TSC, or one at a distance from it and perhaps with
 * another rate (PVH and HVM), or one which Xen emulates from its system time.
 */
#include <errno.h>
#include <string.h>

#include <xensched/clock.h>

#include "hypercall.h"

/*
 * What system times of two pCPUs may differ by: an emulated TSC follows that of
 * the pCPU on which it is read.
 */
#define SYSTEM_TIME_ERROR_NS 5000U

/* Whoever asks is dom0. */
#define ANY_DOMAIN 0
#define NS_KHZ     1000000U

static int ask(xc_interface *xch, uint32_t domid, uint32_t vcpu,
               struct xensched_clock *clock)
{
    struct xen_domctl_schedlog_clock got;

    if (hypercall_clock(xch, domid, vcpu, &got))
        return errno;
    *clock = (struct xensched_clock){
        .vcpu = vcpu,
        .host_tsc = got.host_tsc,
        .guest_tsc = got.guest_tsc,
        .host_khz = got.host_khz,
        .guest_khz = got.guest_khz,
    };
    if (got.flags & XEN_DOMCTL_SCHEDLOG_CLOCK_EMULATED) {
        clock->flags = XENSCHED_CLOCK_EMULATED;
        clock->error = (uint64_t)SYSTEM_TIME_ERROR_NS * got.host_khz / 1000000;
    }

    return 0;
}

static const char *why(int code)
{
    switch (code) {
    case EOPNOTSUPP:
    case ENOSYS:
        return "its patches are older than this program";
    case ENODATA:
        return "it is emulated, and stands still while a vCPU does not run";
    default:
        return strerror(code);
    }
}

int xensched_clocks_of_domain(uint32_t domid, uint32_t nr,
                              struct xensched_clock *clocks,
                              struct xensched_error *err)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    uint32_t vcpu;
    int code = 0;

    if (!xch)
        return xensched_fail(err, errno, "cannot ask Xen for the clock of "
                             "domain %u: %s", domid, strerror(errno));
    for (vcpu = 0; !code && vcpu < nr; vcpu++) {
        code = ask(xch, domid, vcpu, &clocks[vcpu]);
        if (code != EINVAL || !vcpu)
            continue;
        code = 0;
        clocks[vcpu] = clocks[0];
        clocks[vcpu].vcpu = vcpu;
    }
    xc_interface_close(xch);
    if (code)
        return xensched_fail(err, code, "Xen does not say what the clock of "
                             "domain %u is: %s", domid, why(code));

    return 0;
}

int xensched_system_time(struct xensched_clock *clock,
                         struct xensched_error *err)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    struct xen_domctl_schedlog_clock got = { 0 };
    int code = 0;

    if (!xch || hypercall_clock(xch, ANY_DOMAIN, 0, &got))
        code = errno;
    if (xch)
        xc_interface_close(xch);
    if (code)
        return xensched_fail(err, code, "Xen does not say what its system time "
                             "is: %s", strerror(code));
    *clock = (struct xensched_clock){
        .host_tsc = got.host_tsc,
        .guest_tsc = got.system_ns,
        .host_khz = got.host_khz,
        .guest_khz = NS_KHZ,
    };

    return 0;
}
