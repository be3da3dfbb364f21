/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * observe-host.h - what the core finds out about the host in each run: how far nodes are apart
 * and where the memory of domains is (model/memory/census.h), which vCPUs of driver domains serve which
 * guest (model/residency/servers.h), and what guests' work cost recently (model/work.h).
 */
#ifndef XENSCHED_DAEMON_CORE_OBSERVE_HOST_H
#define XENSCHED_DAEMON_CORE_OBSERVE_HOST_H

#include "core.h"

/* Memory: a part of a count in each run. */

/* No error: a host that does not tell has all memory equally far. */
void count_memory_start(struct core *core);

/* Reads the measured distances again, which may be new. */
void count_memory_distances(struct core *core);

/* Goes on counting, if it is time to, and tells core->domains what is known. */
void count_memory(struct core *core, uint64_t now_ns);

void count_memory_end(struct core *core);

/* Servers: Xen is asked for event channels, where that matters. */

/* Asks if it is time to, and tells core->domains what is known. */
void find_servers(struct core *core, uint64_t now_ns);

void find_servers_end(struct core *core);

/*
 * Work: the daemon keeps the counters of one to two WATCH_WORK_NS ago, and compares the
 * present ones with them.
 */

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

#endif /* XENSCHED_DAEMON_CORE_OBSERVE_HOST_H */
