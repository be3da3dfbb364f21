/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks Xen for the last-level cache of each pCPU.  The installed libxenctrl may have no function
 * for this hypercall.
 */
#include <errno.h>
#include <stdint.h>

#include <xenctrl.h>

#include "llc-xen.h"

/* Returns the number of entries of @caches that Xen has filled in, or -1. */
static int ask_caches(xc_interface *xch, unsigned int nr, xc_hypercall_buffer_t *caches)
{
    DECLARE_HYPERCALL_BUFFER_ARGUMENT(caches);
    struct xen_sysctl sysctl = {
        .cmd = XEN_SYSCTL_schedlog,
        .u.schedlog.cmd = XEN_SYSCTL_SCHEDLOG_caches,
        .u.schedlog.u.caches.nr = nr,
    };

    set_xen_guest_handle(sysctl.u.schedlog.u.caches.caches, caches);

    return xc_sysctl(xch, &sysctl) ? -1 : (int)sysctl.u.schedlog.u.caches.nr;
}

bool llc_xen_fill_in(xc_interface *xch, struct topology *t)
{
    DECLARE_HYPERCALL_BUFFER(uint32_t, caches);
    bool known = false;
    int nr;

    caches = xc_hypercall_buffer_alloc(xch, caches, t->nr_cpus * sizeof(*caches));
    if (!caches)
        return false;
    nr = ask_caches(xch, t->nr_cpus, HYPERCALL_BUFFER(caches));
    if (nr >= 0)
        known = llc_of_host(t, caches, nr);
    xc_hypercall_buffer_free(xch, caches);

    return known;
}

bool llc_xen_is_missing(xc_interface *xch)
{
    return ask_caches(xch, 0, HYPERCALL_BUFFER(HYPERCALL_BUFFER_NULL)) < 0 && errno == EOPNOTSUPP;
}
