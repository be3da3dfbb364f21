/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * llc-colours.h - finds the domains whose memory shares colours of the last-level cache.
 *
 * Xen sets colours and reports none of them.  So a guest's colours come from its configuration
 * (llc_colors), those of dom0 from Xen's command line.
 */
#ifndef XENSCHED_HOST_LLC_COLOURS_H
#define XENSCHED_HOST_LLC_COLOURS_H

#include <stdio.h>

#include "base/cpumap.h"

/* More colours than Xen can be built with. */
#define LLC_COLOURS_MAX 1024U

struct llc_colours {
    uint32_t domid;
    char *name;          /* NULL: dom0, or a domain without a configured name */
    bool all;            /* its configuration names none, so it has all */
    struct cpumap named; /* for LLC_COLOURS_MAX */
};

/* Does Xen with this command line use colours?  If so, sets @dom0 to those of dom0. */
bool llc_colours_of_dom0(const char *command_line, struct llc_colours *dom0);

/* Does @a share a colour with @b? */
bool llc_colours_shared(const struct llc_colours *a, const struct llc_colours *b);

/* "0-3,8" or "all"; valid until text_format() reuses it. */
const char *llc_colours_text(const struct llc_colours *colours);

#endif /* XENSCHED_HOST_LLC_COLOURS_H */
