/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces Xen's public xen.h, which schedlog.h includes only for guest handles.
 * Linux does not use these.
 */
#ifndef XENSCHED_PUBLIC_XEN_H
#define XENSCHED_PUBLIC_XEN_H

#include <linux/types.h>

#define DEFINE_XEN_GUEST_HANDLE(name) struct xensched_no_handle_##name

#endif /* XENSCHED_PUBLIC_XEN_H */
