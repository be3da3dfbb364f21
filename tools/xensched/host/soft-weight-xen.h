/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * soft-weight-xen.h - the weight that credit2 gives to soft affinity in a cpupool, a
 * parameter of the patched Xen, through its hypervisor file system (libxenhypfs).
 *
 * See struct host: get_soft_weight and set_soft_weight.
 */
#ifndef XENSCHED_HOST_SOFT_WEIGHT_XEN_H
#define XENSCHED_HOST_SOFT_WEIGHT_XEN_H

#include <stdint.h>

#include <xensched/error.h>

int soft_weight_read(void *data, uint32_t *percent,
                     struct xensched_error *err);
int soft_weight_write(void *data, uint32_t percent,
                      struct xensched_error *err);

#endif /* XENSCHED_HOST_SOFT_WEIGHT_XEN_H */
