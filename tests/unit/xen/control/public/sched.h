/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-xen-control: the tools' copy of the same. */
#ifndef __XEN_TOOLS__
#define __XEN_TOOLS__ 1
#endif
#include_next <xen/sched.h>
