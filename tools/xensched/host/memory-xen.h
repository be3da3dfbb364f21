/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory-xen.h - what our Xen knows of where memory is and how long vCPUs wait, and
 * any Xen of how far its nodes are apart.  See struct host: memory and owners.
 */
#ifndef XENSCHED_HOST_MEMORY_XEN_H
#define XENSCHED_HOST_MEMORY_XEN_H

#include <xenctrl.h>

#include "host.h"

int memory_xen_describe(xc_interface *xch, struct distances *d,
                        uint64_t *frames, struct xensched_error *err);
int memory_xen_owners(xc_interface *xch, uint64_t *at, uint32_t step,
                      struct host_owner *owners, struct xensched_error *err);

/* Of all vCPUs of @d.  No error: if Xen does not tell, they are not known. */
void memory_xen_times(xc_interface *xch, struct domain *d);

#endif /* XENSCHED_HOST_MEMORY_XEN_H */
