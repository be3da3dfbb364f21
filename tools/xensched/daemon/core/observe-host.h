/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * observe-host.h - what the core observes about the host in each run: the distances of nodes and
 * the nodes of domains' memory (model/memory/census.h), which vCPUs of driver domains serve which
 * guest (model/residency/servers.h), and the recent cost of guests' work (model/work.h).
 */
#ifndef XENSCHED_DAEMON_CORE_OBSERVE_HOST_H
#define XENSCHED_DAEMON_CORE_OBSERVE_HOST_H

#include "core.h"

/* Memory: each run does a part of a count. */

/* Never fails: if the host reports no distances, all memory is equally far. */
void count_memory_start(struct core *core);

/* Reads the measured distances, which may have changed. */
void count_memory_distances(struct core *core);

/* Continues counting, if it is time, and sets the results in core->domains. */
void count_memory(struct core *core, uint64_t now_ns);

void count_memory_end(struct core *core);

/* Servers: queries Xen for event channels if they matter. */

/* Queries if it is time, and sets the results in core->domains. */
void find_servers(struct core *core, uint64_t now_ns);

void find_servers_end(struct core *core);

/*
 * Work: the daemon keeps the counters of one to two WATCH_WORK_NS ago, and compares them with the
 * present ones.
 */

#define WATCH_WORK_NS 30000000000ULL

/* Sets how often vCPUs of @domains woke up and moved in the latest seconds. */
void watch_wakes(const struct core *core, struct domains *domains, uint64_t now_ns);

/* Called in each run. */
void watch_work(struct core *core, uint64_t now_ns);
void watch_work_end(struct core *core);

/*
 * Returns the recent work of each of core->domains, in that order; the caller frees it.  Sets
 * @for_ns to the length of the period.  NULL: the daemon has not run for long enough.
 */
struct work *watch_work_recent(const struct core *core, uint64_t now_ns,
                               uint64_t *for_ns);

#endif /* XENSCHED_DAEMON_CORE_OBSERVE_HOST_H */
