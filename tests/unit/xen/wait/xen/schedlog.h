/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-xen-wait, and is the tools' of that name. */
#include_next <xen/schedlog.h>
#include "world.h"
