/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-domain-xen.h - what Xen reports of a domain that advertises a log, independently of what the
 * domain itself states.
 */
#ifndef XENSCHED_LIB_AREA_DOMAIN_XEN_H
#define XENSCHED_LIB_AREA_DOMAIN_XEN_H

#include <stddef.h>
#include <stdint.h>

#include <xenctrl.h>

/*
 * The same as xc_domain_getinfo_single(), which libxenctrl has since 4.18: returns 0, or -1 with
 * errno set; ESRCH: there is no such domain.
 */
int domain_ask(xc_interface *xch, uint32_t domid, xc_domaininfo_t *info);

/*
 * The number of vCPUs that domain @domid can have: its highest number + 1.  Returns 0 or a positive
 * errno value; ESRCH: the domain is dying or has ended.
 */
int domain_vcpus(xc_interface *xch, uint32_t domid, uint32_t *nr);

/*
 * Do all of @nr @frames (numbers that the domain would use in a grant) belong to domain @domid?
 * Returns 0 if so, EPERM and the first other one in *foreign, or another positive errno value.
 *
 * Call this before they are mapped: on x86, for a domain that has a device, Xen also maps the
 * device's memory in its name.  The answer stays valid: a frame of memory never becomes one of a
 * device.
 */
int domain_owns(xc_interface *xch, uint32_t domid, const xen_pfn_t *frames,
                size_t nr, uint64_t *foreign);

#endif /* XENSCHED_LIB_AREA_DOMAIN_XEN_H */
