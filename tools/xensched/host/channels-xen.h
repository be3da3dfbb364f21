/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * channels-xen.h - the event channels between a domain and others, as Xen has them.
 */
#ifndef XENSCHED_HOST_CHANNELS_XEN_H
#define XENSCHED_HOST_CHANNELS_XEN_H

#include <xenctrl.h>

#include "host.h"

/* As host.h's channels(). */
unsigned int channels_xen_find(xc_interface *xch, uint32_t domid,
                               struct host_channel *channels, unsigned int nr);

#endif /* XENSCHED_HOST_CHANNELS_XEN_H */
