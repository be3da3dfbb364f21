/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vbds.h - what Linux's block back end does for each guest, from the statistics that Linux keeps of
 * each disk: sectors, so the pages of requests are known as a sum only.
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
 * Calls @take for each disk with whole pages since the last call, with the disk's domain @domid.  A
 * new disk is only noticed.
 */
void vbds_read(struct vbds *vbds,
               void (*take)(void *arg, uint32_t domid, uint64_t pages),
               void *arg);

/* Forgets the old sums. */
void vbds_forget(struct vbds *vbds);

/* Returns whether a disk of domain @domid is served. */
bool vbds_serve(const struct vbds *vbds, uint32_t domid);

#endif /* XENSCHED_DISKS_VBDS_H */
