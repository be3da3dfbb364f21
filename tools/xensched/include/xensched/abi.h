/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * abi.h - includes <xen/schedlog.h> in such a way that <xenctrl.h> can be
 * included before or after it.
 */
#ifndef XENSCHED_ABI_H
#define XENSCHED_ABI_H

#ifndef __XEN_TOOLS__
#define __XEN_TOOLS__ 1 /* as <xenctrl.h> does */
#endif

#include <stdint.h>

#include <xen/xen.h>
#include <xen/schedlog.h>

#endif /* XENSCHED_ABI_H */
