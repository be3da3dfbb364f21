/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares typed marks: the begin or end of a named region, a named count, or a
 * text.  uapi/xensched_mark.h has the codes.
 */
#ifndef XENSCHED_TYPED_H
#define XENSCHED_TYPED_H

#include <linux/types.h>

#include "uapi/xensched_mark.h"

/* These functions return 0 or a negative errno value. */
int xensched_typed_name(struct xensched_mark_name *name);
int xensched_typed_mark(const struct xensched_mark_typed *mark);
int xensched_typed_label(const struct xensched_mark_label *label);

void xensched_typed_exit(void);

#endif /* XENSCHED_TYPED_H */
