/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-xen-wait: the tools' copy of the same. */
#define __XEN_TOOLS__ 1
#include <xen/sysctl.h>
