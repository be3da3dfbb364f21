/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes the log's hypercalls, with any libxenctrl of the hypervisor's release. */
#include <errno.h>
#include <string.h>

#include "hypercall.h"

static int call_sysctl(xc_interface *xch, uint32_t cmd, struct xen_sysctl *sysctl)
{
    sysctl->cmd = XEN_SYSCTL_schedlog;
    sysctl->u.schedlog.cmd = cmd;

    return xc_sysctl(xch, sysctl);
}

int hypercall_info(xc_interface *xch, struct xen_sysctl_schedlog_info *info)
{
    struct xen_sysctl sysctl = { 0 };
    int rc = call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_info, &sysctl);

    if (!rc)
        *info = sysctl.u.schedlog.u.info;

    return rc;
}

int hypercall_setup(xc_interface *xch, uint32_t nr_acct, uint32_t nr_files,
                    const uint32_t *sizes, uint64_t *need_bytes)
{
    struct xen_sysctl sysctl = { 0 };
    DECLARE_HYPERCALL_BUFFER(uint32_t, copy);
    int rc;

    if (!nr_files || nr_files > XEN_SCHEDLOG_MAX_FILES) {
        errno = EINVAL;
        return -1;
    }
    copy = xc_hypercall_buffer_alloc(xch, copy, nr_files * sizeof(*sizes));
    if (!copy)
        return -1;
    memcpy(copy, sizes, nr_files * sizeof(*sizes));
    sysctl.u.schedlog.u.setup.nr_acct = nr_acct;
    sysctl.u.schedlog.u.setup.nr_files = nr_files;
    set_xen_guest_handle(sysctl.u.schedlog.u.setup.sizes, copy);
    rc = call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_setup, &sysctl);
    if (rc && errno == E2BIG)
        *need_bytes = sysctl.u.schedlog.u.setup.need_bytes;
    xc_hypercall_buffer_free(xch, copy);

    return rc;
}

int hypercall_files(xc_interface *xch, uint32_t first, uint32_t nr,
                    struct xen_schedlog_file *files)
{
    struct xen_sysctl sysctl = { 0 };
    DECLARE_HYPERCALL_BUFFER(xen_schedlog_file_t, got);
    int rc;

    got = xc_hypercall_buffer_alloc(xch, got, nr * sizeof(*got));
    if (!got)
        return -1;
    sysctl.u.schedlog.u.files.first = first;
    sysctl.u.schedlog.u.files.nr = nr;
    set_xen_guest_handle(sysctl.u.schedlog.u.files.files, got);
    rc = call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_files, &sysctl);
    if (!rc) {
        rc = sysctl.u.schedlog.u.files.nr;
        memcpy(files, got, rc * sizeof(*files));
    }
    xc_hypercall_buffer_free(xch, got);

    return rc;
}

int hypercall_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
                     uint32_t first, uint32_t nr, uint64_t *frames)
{
    struct xen_sysctl sysctl = { 0 };
    DECLARE_HYPERCALL_BUFFER(uint64_t, got);
    int rc;

    got = xc_hypercall_buffer_alloc(xch, got, nr * sizeof(*got));
    if (!got)
        return -1;
    sysctl.u.schedlog.u.frames.region = region;
    sysctl.u.schedlog.u.frames.cpu = cpu;
    sysctl.u.schedlog.u.frames.first = first;
    sysctl.u.schedlog.u.frames.nr = nr;
    set_xen_guest_handle(sysctl.u.schedlog.u.frames.frames, got);
    rc = call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_frames, &sysctl);
    if (!rc) {
        rc = sysctl.u.schedlog.u.frames.nr;
        memcpy(frames, got, rc * sizeof(*frames));
    }
    xc_hypercall_buffer_free(xch, got);

    return rc;
}

int hypercall_events(xc_interface *xch, uint32_t events, uint32_t lease_ms,
                     uint64_t cookie)
{
    struct xen_sysctl sysctl = { 0 };

    sysctl.u.schedlog.u.events.events = events;
    sysctl.u.schedlog.u.events.lease_ms = lease_ms;
    sysctl.u.schedlog.u.events.cookie = cookie;

    return call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_events, &sysctl);
}

int hypercall_release(xc_interface *xch, uint64_t cookie)
{
    struct xen_sysctl sysctl = { 0 };

    sysctl.u.schedlog.u.release.cookie = cookie;

    return call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_release, &sysctl);
}

int hypercall_pmc(xc_interface *xch, uint64_t cookie, uint32_t nr,
                  const uint64_t *select)
{
    struct xen_sysctl sysctl = { 0 };

    if (nr > XEN_SCHEDLOG_MAX_PMCS) {
        errno = EINVAL;
        return -1;
    }
    sysctl.u.schedlog.u.pmc.nr = nr;
    sysctl.u.schedlog.u.pmc.cookie = cookie;
    memcpy(sysctl.u.schedlog.u.pmc.select, select, nr * sizeof(*select));

    return call_sysctl(xch, XEN_SYSCTL_SCHEDLOG_pmc, &sysctl);
}

int hypercall_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                   uint16_t acct, uint64_t cookie)
{
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_schedlog_bind,
        .domain = domid,
        .u.schedlog_bind = { .vcpu = vcpu, .acct = acct, .cookie = cookie },
    };

    return xc_domctl(xch, &domctl);
}

int hypercall_mark(xc_interface *xch, uint32_t domid, bool allow,
                   uint64_t cookie)
{
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_schedlog_mark,
        .domain = domid,
        .u.schedlog_mark = { .allow = allow, .cookie = cookie },
    };

    return xc_domctl(xch, &domctl);
}

int hypercall_clock(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                    struct xen_domctl_schedlog_clock *clock)
{
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_schedlog_clock,
        .domain = domid,
        .u.schedlog_clock.vcpu = vcpu,
    };
    int rc = xc_domctl(xch, &domctl);

    if (!rc)
        *clock = domctl.u.schedlog_clock;

    return rc;
}

int hypercall_stop(xc_interface *xch, uint32_t domid,
                   struct xen_domctl_schedlog_stop *op)
{
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_schedlog_stop,
        .domain = domid,
        .u.schedlog_stop = *op,
    };
    int rc = xc_domctl(xch, &domctl);

    if (!rc)
        *op = domctl.u.schedlog_stop;

    return rc;
}
