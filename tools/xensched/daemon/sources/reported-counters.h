/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reported-counters.h - counters of a driver domain that has no log.  In it,
 * xensched-disks writes to xenstore, below the domain's own data/, how much its disks
 * did for each guest.
 *
 * They are validated as rows are (validation.h): only guests that the toolstack names as
 * its clients count, only up to what their notifications allow, and only as much at a
 * time as a disk can do.
 */
#ifndef XENSCHED_DAEMON_REPORTED_COUNTERS_H
#define XENSCHED_DAEMON_REPORTED_COUNTERS_H

#include "log-sources.h"

#define REPORTED_COUNTERS_REASON "no log; what its disks do is what xensched-disks there says"

/* Add what is new to the matrix.  Call it with each round. */
void reported_counters_read(struct log_sources *sources, struct log_source *source, uint64_t now_ns);

/* Forget the last values: meanwhile its log had the requests. */
void reported_counters_forget(struct log_source *source);

#endif /* XENSCHED_DAEMON_REPORTED_COUNTERS_H */
