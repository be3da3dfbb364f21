/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xen-queries.h - queries Xen for event channels, memory and waiting times, and sets credit2's
 * soft_weight.
 */
#ifndef XENSCHED_HOST_XEN_QUERIES_H
#define XENSCHED_HOST_XEN_QUERIES_H

#include <stdint.h>

#include <xenctrl.h>
#include <xensched/error.h>

#include "host.h"

/* See struct host: channels. */
unsigned int channels_xen_find(xc_interface *xch, uint32_t domid,
                               struct host_channel *channels, unsigned int nr);

/*
 * The nodes of frames, which only the patched Xen reports, and the distances of nodes, which any
 * Xen reports.  See struct host: memory and owners.
 */

int memory_xen_describe(xc_interface *xch, struct distances *d,
                        uint64_t *frames, struct xensched_error *err);
int memory_xen_owners(xc_interface *xch, uint64_t *at, uint32_t step,
                      struct host_owner *owners, struct xensched_error *err);

/* Sets the times of all vCPUs of @d; if Xen does not report them, they are unknown. */
void memory_xen_times(xc_interface *xch, struct domain *d);

/*
 * The weight that credit2 gives to soft affinity in a cpupool, a parameter of the patched Xen,
 * through its hypervisor file system (libxenhypfs).  See struct host: get_soft_weight and
 * set_soft_weight.
 */

int soft_weight_read(void *data, uint32_t *percent,
                     struct xensched_error *err);
int soft_weight_write(void *data, uint32_t percent,
                      struct xensched_error *err);

#endif /* XENSCHED_HOST_XEN_QUERIES_H */
