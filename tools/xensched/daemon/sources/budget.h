/* SPDX-License-Identifier: GPL-2.0-only */
/* budget.h - carries out what the governor decides, and says so. */
#ifndef XENSCHED_DAEMON_BUDGET_H
#define XENSCHED_DAEMON_BUDGET_H

#include "log-sources.h"

/*
 * To be called when all rows have been read: those which come from now on are
 * of the new thresholds.  @cpu_ns: CPU time of the daemon, ever.
 */
void budget_keep(struct log_sources *sources, uint64_t cpu_ns, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_BUDGET_H */
