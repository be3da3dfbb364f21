/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks that say what they are: a begin, an end, a count of something that has
 * a name, or a text.  uapi/xensched_mark.h has the codes.
 */
#ifndef XENSCHED_TYPED_H
#define XENSCHED_TYPED_H

#include <linux/types.h>

#include "uapi/xensched_mark.h"

/* All of them return 0 or a negative errno value. */
int xensched_typed_name(struct xensched_mark_name *name);
int xensched_typed_mark(const struct xensched_mark_typed *mark);
int xensched_typed_label(const struct xensched_mark_label *label);

void xensched_typed_exit(void);

#endif /* XENSCHED_TYPED_H */
