/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * toolstack.h - reads domains' configurations as xl has stored them.
 *
 * On a NUMA host xl gives each guest whose configuration names no affinity a soft affinity to the
 * nodes that xl picks.  In Xen that looks like an operator's affinity; the configuration shows the
 * difference.
 */
#ifndef XENSCHED_HOST_TOOLSTACK_H
#define XENSCHED_HOST_TOOLSTACK_H

#include <stddef.h>
#include <stdint.h>

#include "llc-colours.h"

/*
 * Does the configuration of the domain name an affinity (cpus=, cpus_soft=, nodes)?  Returns 1 also
 * if it cannot be read, so that an affinity counts as the operator's in doubt.  -1: there is no
 * configuration, or not yet.
 */
int toolstack_names_affinity(uint32_t domid);

/*
 * Returns the colours of all domains in *@list, which the caller frees with
 * toolstack_free_llc_colours(), and their number; 0: Xen uses no colours, or libxl does not support
 * them.
 */
size_t toolstack_llc_colours(struct llc_colours **list);
void toolstack_free_llc_colours(struct llc_colours *list, size_t nr);

#endif /* XENSCHED_HOST_TOOLSTACK_H */
