/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * abi.h - the events: those of <xen/schedlog.h>, included so that <xenctrl.h> can come before or
 * after it, and those of Linux.
 */
#ifndef XENSCHED_ABI_H
#define XENSCHED_ABI_H

#ifndef __XEN_TOOLS__
#define __XEN_TOOLS__ 1 /* as <xenctrl.h> does */
#endif

#include <stdint.h>

#include <xen/xen.h>
#include <xen/schedlog.h>

#include <xensched/linux-events.h>

/* All events of Xen and Linux: X(NAME, "name", kind) */
#define XENSCHED_EVENTS(X) XEN_SCHEDLOG_EVENTS(X) XENSCHED_LINUX_EVENTS(X)

#endif /* XENSCHED_ABI_H */
