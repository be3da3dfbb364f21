/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * llc-xen.h - finds which pCPUs share a last-level cache by what Xen reports: the processor's CPUID
 * and the pCPUs' APIC ids.
 */
#ifndef XENSCHED_HOST_LLC_XEN_H
#define XENSCHED_HOST_LLC_XEN_H

#include <xencall.h>
#include <xenctrl.h>

#include "llc.h"

struct llc_xen {
    xencall_handle *xcall; /* NULL: Xen reports no caches */
    unsigned int shift;
    unsigned int nr;
    uint32_t *apic_ids; /* [nr]; queried when the pCPU has come online */
};

/* @leaf: llc_leaf of struct xensched_area_info; 0: no cache is known. */
void llc_xen_open(struct llc_xen *x, uint32_t leaf, xentoollog_logger *log);
void llc_xen_close(struct llc_xen *x);

/* As llc_of_host(). */
bool llc_xen_fill_in(struct llc_xen *x, struct topology *t);

#endif /* XENSCHED_HOST_LLC_XEN_H */
