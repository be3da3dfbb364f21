/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vbds.h - what Linux's block back end does for each guest, from the statistics that Linux
 * keeps of each disk: sectors, so what a request touches is known as a sum only.
 */
#ifndef XENSCHED_DISKS_VBDS_H
#define XENSCHED_DISKS_VBDS_H

#include <stdbool.h>
#include <stdint.h>

#define VBDS_FOLDER "/sys/bus/xen-backend/devices"

struct vbd;

struct vbds {
    const char *folder;
    unsigned int nr;
    struct vbd *vbd;
};

void vbds_init(struct vbds *vbds);
void vbds_free(struct vbds *vbds);

/*
 * Have @take told of each disk through which whole pages went since the last call: of
 * domain @domid's.  A disk that is new is only noticed.
 */
void vbds_read(struct vbds *vbds,
               void (*take)(void *arg, uint32_t domid, uint64_t pages),
               void *arg);

/* What was known is old. */
void vbds_forget(struct vbds *vbds);

/* Is a disk of domain @domid served? */
bool vbds_serve(const struct vbds *vbds, uint32_t domid);

#endif /* XENSCHED_DISKS_VBDS_H */
