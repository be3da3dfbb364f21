/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disk-counters.h - the work of dom0's back end for each guest, if its requests are not logged:
 * from Linux's statistics of each disk (vbds.h), which come a moment late but suffice for rates.
 * Nothing is read while a log has the requests.
 */
#ifndef XENSCHED_DAEMON_DISK_COUNTERS_H
#define XENSCHED_DAEMON_DISK_COUNTERS_H

#include <stdint.h>

#include "model/domain.h"
#include "model/matrix/matrix.h"
#include "disks/vbds.h"

struct disks {
    struct vbds vbds;
    uint64_t again_ns; /* time of the next read */
};

void disks_init(struct disks *disks);
void disks_free(struct disks *disks);

/*
 * Adds the pages that dom0's back end has handled since the last call to @matrix, as ring-pages of
 * dom0.  May be called whenever rows are read.  Drops rates of domains for which @domains has no
 * accounting domain.
 */
void disks_read(struct disks *disks, const struct domains *domains,
                struct matrix *matrix, uint64_t now_ns);

/* Forgets the last counters, because a log had the requests since. */
void disks_forget(struct disks *disks);

#endif /* XENSCHED_DAEMON_DISK_COUNTERS_H */
