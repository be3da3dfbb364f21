/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Xen's public header schedlog.h includes its neighbour xen.h, for guest
 * handles only.  Linux has no use for those.
 */
#ifndef XENSCHED_PUBLIC_XEN_H
#define XENSCHED_PUBLIC_XEN_H

#include <linux/types.h>

#define DEFINE_XEN_GUEST_HANDLE(name) struct xensched_no_handle_##name

#endif /* XENSCHED_PUBLIC_XEN_H */
