/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch-work.h - what guests' work cost recently (model/work.h): the daemon remembers
 * the counters of one to two WATCH_WORK_NS ago, and compares the present ones with those.
 */
#ifndef XENSCHED_DAEMON_WATCH_WORK_H
#define XENSCHED_DAEMON_WATCH_WORK_H

#include "core.h"

#define WATCH_WORK_NS 30000000000ULL

/* How often vCPUs of @domains woke up and moved in the latest seconds. */
void watch_wakes(const struct core *core, struct domains *domains, uint64_t now_ns);

/* In each run. */
void watch_work(struct core *core, uint64_t now_ns);
void watch_work_end(struct core *core);

/*
 * The recent work of each of core->domains, in that order; the caller frees it.
 * @for_ns gets the time that it took.  NULL: the daemon has not run for long enough.
 */
struct work *watch_work_recent(const struct core *core, uint64_t now_ns,
                               uint64_t *for_ns);

#endif /* XENSCHED_DAEMON_WATCH_WORK_H */
