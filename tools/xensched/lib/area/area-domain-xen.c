/* SPDX-License-Identifier: LGPL-2.1-only */
/* Queries Xen about a domain: its vCPUs, and whether frames are its own. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "area-domain-xen.h"

/* Number of frames that one hypercall checks. */
#define FRAMES_PER_CALL 1024U

int domain_ask(xc_interface *xch, uint32_t domid, xc_domaininfo_t *info)
{
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_getdomaininfo,
        .domain = domid,
    };

    if (xc_domctl(xch, &domctl))
        return -1;
    /* Up to 4.17, Xen returns the next domain if there is no such domain. */
    if (domctl.u.getdomaininfo.domain != domid) {
        errno = ESRCH;
        return -1;
    }
    *info = domctl.u.getdomaininfo;

    return 0;
}

int domain_vcpus(xc_interface *xch, uint32_t domid, uint32_t *nr)
{
    xc_domaininfo_t info;

    errno = 0;
    if (domain_ask(xch, domid, &info))
        return errno ? errno : EIO;
    if (info.flags & XEN_DOMINF_dying)
        return ESRCH;
    *nr = info.max_vcpu_id + 1;

    return 0;
}

#if defined(__aarch64__) || defined(__arm__)

/*
 * Xen for Arm has no types of frames.  It maps only a domain's own RAM for another domain
 * (XENMAPSPACE_gmfn_foreign in xen/arch/arm/mm.c): no device's memory, no grant.
 */
int domain_owns(xc_interface *xch, uint32_t domid, const xen_pfn_t *frames,
                size_t nr, uint64_t *foreign)
{
    (void)xch;
    (void)domid;
    (void)frames;
    (void)nr;
    (void)foreign;

    return 0;
}

#else

/* @types has frames, and afterwards their types. */
static int ask_types(xc_interface *xch, uint32_t domid,
                     xc_hypercall_buffer_t *types, size_t nr)
{
    DECLARE_HYPERCALL_BUFFER_ARGUMENT(types);
    struct xen_domctl domctl = {
        .cmd = XEN_DOMCTL_getpageframeinfo3,
        .domain = domid,
        .u.getpageframeinfo3.num = nr,
    };

    set_xen_guest_handle(domctl.u.getpageframeinfo3.array, types);
    errno = 0;

    return xc_domctl(xch, &domctl) ? (errno ? errno : EIO) : 0;
}

/* Is it a page of another domain, or one that cannot be used? */
static bool is_foreign(xen_pfn_t type)
{
    type &= XEN_DOMCTL_PFINFO_LTAB_MASK;

    return type == XEN_DOMCTL_PFINFO_XTAB ||
           type == XEN_DOMCTL_PFINFO_XALLOC ||
           type == XEN_DOMCTL_PFINFO_BROKEN;
}

int domain_owns(xc_interface *xch, uint32_t domid, const xen_pfn_t *frames,
                size_t nr, uint64_t *foreign)
{
    DECLARE_HYPERCALL_BUFFER(xen_pfn_t, types);
    size_t done, part, i;
    int code = 0;

    types = xc_hypercall_buffer_alloc(xch, types,
                                      FRAMES_PER_CALL * sizeof(*types));
    if (!types)
        return ENOMEM;
    for (done = 0; !code && done < nr; done += part) {
        part = nr - done < FRAMES_PER_CALL ? nr - done : FRAMES_PER_CALL;
        memcpy(types, frames + done, part * sizeof(*types));
        code = ask_types(xch, domid, HYPERCALL_BUFFER(types), part);
        for (i = 0; !code && i < part; i++)
            if (is_foreign(types[i])) {
                *foreign = frames[done + i];
                code = EPERM;
            }
    }
    xc_hypercall_buffer_free(xch, types);

    return code;
}

#endif
