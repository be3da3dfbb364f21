/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xenstore-open.h - connects to xenstore without waiting for a dead xenstored.
 */
#ifndef XENSCHED_LIB_XENSTORE_OPEN_H
#define XENSCHED_LIB_XENSTORE_OPEN_H

#include <xenstore.h>

#include <xensched/error.h>

/* NULL: there is no xenstored, as *err states. */
struct xs_handle *xensched_xenstore_open(struct xensched_error *err);

#endif /* XENSCHED_LIB_XENSTORE_OPEN_H */
