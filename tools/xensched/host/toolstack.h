/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * toolstack.h - what xl knows of a domain's configuration.
 *
 * On a NUMA host xl gives each guest whose configuration names no affinity a
 * soft affinity to the nodes it picks.  Seen from Xen that looks as if an
 * operator had set it; the configuration tells the difference.
 */
#ifndef XENSCHED_HOST_TOOLSTACK_H
#define XENSCHED_HOST_TOOLSTACK_H

#include <stddef.h>
#include <stdint.h>

#include "llc-colours.h"

/*
 * Does the configuration of the domain name an affinity (cpus=, cpus_soft=,
 * nodes)?  1 also when it cannot be read: in doubt it is the operator's.  -1:
 * there is none, or not yet.
 */
int toolstack_names_affinity(uint32_t domid);

/*
 * The colours of all domains as *@list, which the caller frees with
 * toolstack_free_llc_colours().  Returns their number; 0: Xen uses no colours, or libxl
 * does not know them.
 */
size_t toolstack_llc_colours(struct llc_colours **list);
void toolstack_free_llc_colours(struct llc_colours *list, size_t nr);

#endif /* XENSCHED_HOST_TOOLSTACK_H */
