/* SPDX-License-Identifier: GPL-2.0-only */
/* llc-xen.h - finds which pCPUs share a last-level cache by what Xen reports. */
#ifndef XENSCHED_HOST_LLC_XEN_H
#define XENSCHED_HOST_LLC_XEN_H

#include <xenctrl.h>

#include "llc.h"

/* As llc_of_host(). */
bool llc_xen_fill_in(xc_interface *xch, struct topology *t);

/* Is there a hypervisor of a former release, whose log does not report caches? */
bool llc_xen_is_missing(xc_interface *xch);

#endif /* XENSCHED_HOST_LLC_XEN_H */
