/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-directory.h - the frames of a domain's log, as it advertises them, and
 * the only way in which memory of a domain is mapped.
 *
 * The numbers are copied once, before any of them is used; what is in the
 * domain's pages afterwards does not matter.
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
    char text[NODE_TEXT]; /* the node which the frames are from */
    uint64_t *frames;     /* NULL: not read, or not needed any more */
    size_t nr_frames;
    uint64_t foreign;     /* with EPERM: a frame that is not its memory */
};

/* Geometry and files of @area are known. */
int directory_read(struct directory *d, const struct xensched_area *area,
                   const struct node_answer *a, struct xensched_error *err);

/* What is mapped stays; nothing more can be mapped. */
void directory_forget(struct directory *d);

/* As area_ops.map() and unmap(). */
int directory_map(struct directory *d, const struct xensched_area *area,
                  enum region region, uint32_t cpu, int prot,
                  struct mapping *m);
void directory_unmap(struct directory *d, struct mapping *m);

#endif /* XENSCHED_AREA_DIRECTORY_H */
