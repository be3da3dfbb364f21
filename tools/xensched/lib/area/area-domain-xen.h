/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-domain-xen.h - what Xen knows of a domain, such as one that advertises a
 * log, whatever the domain says of itself.
 */
#ifndef XENSCHED_LIB_AREA_DOMAIN_XEN_H
#define XENSCHED_LIB_AREA_DOMAIN_XEN_H

#include <stddef.h>
#include <stdint.h>

#include <xenctrl.h>

/*
 * As xc_domain_getinfo_single(), which libxenctrl has since 4.18: 0, or -1 with
 * errno set; ESRCH: there is no such domain.
 */
int domain_ask(xc_interface *xch, uint32_t domid, xc_domaininfo_t *info);

/*
 * How many vCPUs domain @domid can have: one more than the highest number.
 * Returns 0 or a positive errno value; ESRCH: it is dying, or gone.
 */
int domain_vcpus(xc_interface *xch, uint32_t domid, uint32_t *nr);

/*
 * Are all of @nr @frames (as the domain numbers them in a grant) memory of
 * domain @domid's own?  0 if so, EPERM and *foreign, the first that is not, or
 * another positive errno value.
 *
 * To be asked before they are mapped: for a domain which has a device, Xen maps
 * the device's memory in its name as well.  Memory stays what it is: a frame
 * never turns into one of a device.
 */
int domain_owns(xc_interface *xch, uint32_t domid, const xen_pfn_t *frames,
                size_t nr, uint64_t *foreign);

#endif /* XENSCHED_LIB_AREA_DOMAIN_XEN_H */
