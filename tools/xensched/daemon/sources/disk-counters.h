/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disk-counters.h - what dom0's back end does for each guest, where its requests are not logged:
 * from the statistics that Linux keeps of each disk (vbds.h), and so a moment late;
 * for rates that is enough.  Nothing is read while a log has the requests.
 */
#ifndef XENSCHED_DAEMON_DISK_COUNTERS_H
#define XENSCHED_DAEMON_DISK_COUNTERS_H

#include <stdint.h>

#include "model/domain.h"
#include "model/matrix/matrix.h"
#include "disks/vbds.h"

struct disks {
    struct vbds vbds;
    uint64_t again_ns; /* not to be read before */
};

void disks_init(struct disks *disks);
void disks_free(struct disks *disks);

/*
 * Pages that went through dom0's back end since the last call, into @matrix as
 * ring-pages of dom0's; often enough to be called whenever rows are read.  Rates of those
 * of which @domains knows no accounting domain are dropped.
 */
void disks_read(struct disks *disks, const struct domains *domains,
                struct matrix *matrix, uint64_t now_ns);

/* What was known is old: a log had the requests meanwhile. */
void disks_forget(struct disks *disks);

#endif /* XENSCHED_DAEMON_DISK_COUNTERS_H */
