/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-directory.h - the frames of a domain's log, as the domain advertises them, and the only way
 * in which memory of a domain is mapped.
 *
 * The numbers are copied once, before any of them is used; later contents of the domain's pages
 * have no effect.
 */
#ifndef XENSCHED_AREA_DIRECTORY_H
#define XENSCHED_AREA_DIRECTORY_H

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include "area-parts.h"
#include "area-nodes.h"

#define NO_FRAME UINT64_MAX

struct directory {
    uint32_t domid;
    xenforeignmemory_handle *fmem;
    xc_interface *xch;
    char text[NODE_TEXT]; /* the node that lists the directory's pages */
    uint64_t *frames;     /* NULL: not read, or no longer needed */
    size_t nr_frames;
    uint64_t foreign;     /* with EPERM: a frame that is not memory of the domain */
};

/* Geometry and files of @area have to be known. */
int directory_read(struct directory *d, const struct xensched_area *area,
                   const struct node_answer *a, struct xensched_error *err);

/* Existing mappings stay, but nothing more can be mapped. */
void directory_forget(struct directory *d);

/* See map and unmap of struct area_ops. */
int directory_map(struct directory *d, const struct xensched_area *area,
                  enum region region, uint32_t cpu, int prot,
                  struct mapping *m);
void directory_unmap(struct directory *d, struct mapping *m);

#endif /* XENSCHED_AREA_DIRECTORY_H */
