/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * told.h - what a driver domain without a log says that its disks do for each guest:
 * xensched-disks there writes it to xenstore, below the domain's own data/.
 *
 * It is believed as rows would be: of those whom the toolstack says it serves, up to
 * what their notifications can have been about (sieve.h), and no more at a time than
 * anybody can do.
 */
#ifndef XENSCHED_DAEMON_TOLD_H
#define XENSCHED_DAEMON_TOLD_H

#include "feeds.h"

#define TOLD_REASON "no log; what its disks do is what xensched-disks there says"

/* What there is new of it, into the matrix; often enough with each round. */
void told_read(struct feeds *feeds, struct feed *feed, uint64_t now_ns);

/* What it said is old: its log had the requests meanwhile. */
void told_forget(struct feed *feed);

#endif /* XENSCHED_DAEMON_TOLD_H */
