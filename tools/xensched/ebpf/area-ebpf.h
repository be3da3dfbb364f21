/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * area-ebpf.h - the log of the requests that Linux' own xen-blkback serves, written by
 * an eBPF program: a log area as any other (xensched/area.h), whose one event is
 * ring-pages.
 *
 * It is its owner's alone: nobody else can look at it, so it needs no lease; and it is
 * gone with its owner.  Its clock is Linux' CLOCK_MONOTONIC, in ns.
 */
#ifndef XENSCHED_EBPF_AREA_EBPF_H
#define XENSCHED_EBPF_AREA_EBPF_H

#include <xensched/area.h>

/* As xensched_area_setup(); @own is our domid.  -ENOENT: not here, or not now. */
int area_ebpf_setup(const struct xensched_geometry *geometry, uint32_t own,
                    struct xensched_area **area, struct xensched_error *err);

/*
 * The accounting domain of a domain, ourselves included; 0: it has none.  Only of
 * those that have one something is logged.
 */
void area_ebpf_set_number(struct xensched_area *area, uint32_t domid,
                          uint16_t acct);

/* Does this kernel take the program?  It is loaded, and goes again. */
int area_ebpf_check(struct xensched_error *err);

#endif /* XENSCHED_EBPF_AREA_EBPF_H */
