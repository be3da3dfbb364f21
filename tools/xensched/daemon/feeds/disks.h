/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disks.h - what dom0's back end does for whom, where its requests are not logged:
 * from the statistics that Linux keeps of each disk.
 *
 * They tell sectors, so what a request touches is known as a sum only, and a moment
 * late; for rates that is enough.  Nothing is read while the log has the requests.
 */
#ifndef XENSCHED_DAEMON_DISKS_H
#define XENSCHED_DAEMON_DISKS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/domain.h"
#include "model/matrix.h"

#define DISKS_FOLDER "/sys/bus/xen-backend/devices"

struct disk;

struct disks {
    const char *folder;
    unsigned int nr;
    struct disk *disk;
    uint64_t again_ns; /* not to be read before */
};

void disks_init(struct disks *disks);
void disks_free(struct disks *disks);

/*
 * Pages that went through dom0's back end since the last call, into @matrix as
 * ring-pages of dom0's; often enough to be called whenever rows are read.  A disk that
 * is new is only noticed.  Rates of those of which @domains knows no accounting domain
 * are dropped.
 */
void disks_read(struct disks *disks, const struct domains *domains,
                struct matrix *matrix, uint64_t now_ns);

/* What was known is old: the log had the requests meanwhile. */
void disks_forget(struct disks *disks);

#endif /* XENSCHED_DAEMON_DISKS_H */
