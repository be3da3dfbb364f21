/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xc_schedlog.c
 *
 * The log facility's hypercalls.  See xenctrl.h for what they do.
 */

#include "xc_private.h"

static int schedlog_sysctl(xc_interface *xch, struct xen_sysctl *sysctl,
                           uint32_t cmd)
{
    sysctl->cmd = XEN_SYSCTL_schedlog;
    sysctl->u.schedlog.cmd = cmd;

    return do_sysctl(xch, sysctl);
}

int xc_schedlog_info(xc_interface *xch, xc_schedlog_info_t *info)
{
    struct xen_sysctl sysctl = {};
    int ret = schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_info);

    if ( !ret )
        *info = sysctl.u.schedlog.u.info;

    return ret;
}

int xc_schedlog_setup(xc_interface *xch, uint32_t nr_acct, uint32_t nr_files,
                      const uint32_t *sizes, uint64_t *need_bytes)
{
    struct xen_sysctl sysctl = {};
    DECLARE_HYPERCALL_BUFFER(uint32_t, local);
    size_t bytes = sizeof(*sizes) * nr_files;
    int ret;

    if ( !nr_files || nr_files > XEN_SCHEDLOG_MAX_FILES )
    {
        errno = EINVAL;
        return -1;
    }

    local = xc_hypercall_buffer_alloc(xch, local, bytes);
    if ( !local )
    {
        PERROR("Could not allocate sizes for schedlog_setup");
        return -1;
    }

    memcpy(local, sizes, bytes);
    sysctl.u.schedlog.u.setup.nr_acct = nr_acct;
    sysctl.u.schedlog.u.setup.nr_files = nr_files;
    set_xen_guest_handle(sysctl.u.schedlog.u.setup.sizes, local);

    ret = schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_setup);
    if ( ret && errno == E2BIG && need_bytes )
        *need_bytes = sysctl.u.schedlog.u.setup.need_bytes;

    xc_hypercall_buffer_free(xch, local);

    return ret;
}

int xc_schedlog_files(xc_interface *xch, uint32_t first, uint32_t nr,
                      xen_schedlog_file_t *files)
{
    struct xen_sysctl sysctl = {};
    DECLARE_HYPERCALL_BOUNCE(files, sizeof(*files) * nr,
                             XC_HYPERCALL_BUFFER_BOUNCE_OUT);
    int ret;

    if ( xc_hypercall_bounce_pre(xch, files) )
    {
        PERROR("Could not bounce buffer for schedlog_files");
        return -1;
    }

    sysctl.u.schedlog.u.files.first = first;
    sysctl.u.schedlog.u.files.nr = nr;
    set_xen_guest_handle(sysctl.u.schedlog.u.files.files, files);

    ret = schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_files);

    xc_hypercall_bounce_post(xch, files);

    return ret ?: sysctl.u.schedlog.u.files.nr;
}

int xc_schedlog_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
                       uint32_t first, uint32_t nr, uint64_t *frames)
{
    struct xen_sysctl sysctl = {};
    DECLARE_HYPERCALL_BOUNCE(frames, sizeof(*frames) * nr,
                             XC_HYPERCALL_BUFFER_BOUNCE_OUT);
    int ret;

    if ( xc_hypercall_bounce_pre(xch, frames) )
    {
        PERROR("Could not bounce buffer for schedlog_frames");
        return -1;
    }

    sysctl.u.schedlog.u.frames.region = region;
    sysctl.u.schedlog.u.frames.cpu = cpu;
    sysctl.u.schedlog.u.frames.first = first;
    sysctl.u.schedlog.u.frames.nr = nr;
    set_xen_guest_handle(sysctl.u.schedlog.u.frames.frames, frames);

    ret = schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_frames);

    xc_hypercall_bounce_post(xch, frames);

    return ret ?: sysctl.u.schedlog.u.frames.nr;
}

int xc_schedlog_events(xc_interface *xch, uint32_t events, uint32_t lease_ms,
                       uint64_t cookie)
{
    struct xen_sysctl sysctl = {};

    sysctl.u.schedlog.u.events.events = events;
    sysctl.u.schedlog.u.events.lease_ms = lease_ms;
    sysctl.u.schedlog.u.events.cookie = cookie;

    return schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_events);
}

int xc_schedlog_release(xc_interface *xch, uint64_t cookie)
{
    struct xen_sysctl sysctl = {};

    sysctl.u.schedlog.u.release.cookie = cookie;

    return schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_release);
}

int xc_schedlog_pmc(xc_interface *xch, uint64_t cookie, uint32_t nr,
                    const uint64_t *select)
{
    struct xen_sysctl sysctl = {};

    if ( nr > XEN_SCHEDLOG_MAX_PMCS )
    {
        errno = EINVAL;
        return -1;
    }

    sysctl.u.schedlog.u.pmc.nr = nr;
    sysctl.u.schedlog.u.pmc.cookie = cookie;
    memcpy(sysctl.u.schedlog.u.pmc.select, select, sizeof(*select) * nr);

    return schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_pmc);
}

int xc_schedlog_owners(xc_interface *xch, uint64_t *at, uint32_t step,
                       uint32_t nr, uint32_t *owners)
{
    struct xen_sysctl sysctl = {};
    DECLARE_HYPERCALL_BOUNCE(owners, sizeof(*owners) * nr,
                             XC_HYPERCALL_BUFFER_BOUNCE_OUT);
    int ret;

    if ( xc_hypercall_bounce_pre(xch, owners) )
    {
        PERROR("Could not bounce buffer for schedlog_owners");
        return -1;
    }

    sysctl.u.schedlog.u.owners.at = *at;
    sysctl.u.schedlog.u.owners.step = step;
    sysctl.u.schedlog.u.owners.nr = nr;
    set_xen_guest_handle(sysctl.u.schedlog.u.owners.owners, owners);

    ret = schedlog_sysctl(xch, &sysctl, XEN_SYSCTL_SCHEDLOG_owners);
    if ( !ret )
        *at = sysctl.u.schedlog.u.owners.at;

    xc_hypercall_bounce_post(xch, owners);

    return ret ?: sysctl.u.schedlog.u.owners.nr;
}

int xc_schedlog_times(xc_interface *xch, uint32_t domid, uint32_t first,
                      uint32_t nr, uint64_t (*times)[4])
{
    struct xen_domctl domctl = {};
    DECLARE_HYPERCALL_BOUNCE(times, sizeof(*times) * nr,
                             XC_HYPERCALL_BUFFER_BOUNCE_OUT);
    int ret;

    if ( xc_hypercall_bounce_pre(xch, times) )
    {
        PERROR("Could not bounce buffer for schedlog_times");
        return -1;
    }

    domctl.cmd = XEN_DOMCTL_schedlog_times;
    domctl.domain = domid;
    domctl.u.schedlog_times.first = first;
    domctl.u.schedlog_times.nr = nr;
    set_xen_guest_handle(domctl.u.schedlog_times.times, times);

    ret = do_domctl(xch, &domctl);

    xc_hypercall_bounce_post(xch, times);

    return ret ?: domctl.u.schedlog_times.nr;
}

int xc_schedlog_clock(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                      struct xen_domctl_schedlog_clock *clock)
{
    struct xen_domctl domctl = {};
    int ret;

    domctl.cmd = XEN_DOMCTL_schedlog_clock;
    domctl.domain = domid;
    domctl.u.schedlog_clock.vcpu = vcpu;

    ret = do_domctl(xch, &domctl);
    if ( !ret )
        *clock = domctl.u.schedlog_clock;

    return ret;
}

int xc_schedlog_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                     uint16_t acct, uint64_t cookie)
{
    struct xen_domctl domctl = {};

    domctl.cmd = XEN_DOMCTL_schedlog_bind;
    domctl.domain = domid;
    domctl.u.schedlog_bind.vcpu = vcpu;
    domctl.u.schedlog_bind.acct = acct;
    domctl.u.schedlog_bind.cookie = cookie;

    return do_domctl(xch, &domctl);
}

int xc_schedlog_binding(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                        uint16_t *acct)
{
    struct xen_domctl domctl = {};
    int ret;

    domctl.cmd = XEN_DOMCTL_schedlog_binding;
    domctl.domain = domid;
    domctl.u.schedlog_bind.vcpu = vcpu;

    ret = do_domctl(xch, &domctl);
    if ( !ret )
        *acct = domctl.u.schedlog_bind.acct;

    return ret;
}

int xc_schedlog_mark(xc_interface *xch, uint32_t domid, bool allow,
                     uint64_t cookie)
{
    struct xen_domctl domctl = {};

    domctl.cmd = XEN_DOMCTL_schedlog_mark;
    domctl.domain = domid;
    domctl.u.schedlog_mark.allow = allow;
    domctl.u.schedlog_mark.cookie = cookie;

    return do_domctl(xch, &domctl);
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
