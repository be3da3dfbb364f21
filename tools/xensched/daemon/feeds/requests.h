/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * requests.h - the feed of dom0's own xen-blkback, by an eBPF program (ebpf/): which
 * serves where no module of ours logs requests, and only while dom0 serves a disk, so
 * that nothing holds xen-blkback when there is nothing to be seen of it.
 */
#ifndef XENSCHED_DAEMON_REQUESTS_H
#define XENSCHED_DAEMON_REQUESTS_H

#include "feeds.h"

/* Is it on, whoever logs them: of dom0's Linux, or this one? */
bool requests_are_on(const struct feed *feed);

/* Do what there is to be done; @log is that of dom0's Linux. */
void requests_step(struct feeds *feeds, struct feed *feed,
                   const struct feed *log, const struct domains *domains,
                   uint64_t now_ns);

#endif /* XENSCHED_DAEMON_REQUESTS_H */
