/* SPDX-License-Identifier: GPL-2.0-only */
/* budget.h - carries out what the governor decides, and reports it. */
#ifndef XENSCHED_DAEMON_BUDGET_H
#define XENSCHED_DAEMON_BUDGET_H

#include "log-sources.h"

/*
 * Call this when all rows have been read, because later rows have the new thresholds.  @cpu_ns: CPU
 * time that the daemon has used so far.
 */
void budget_keep(struct log_sources *sources, uint64_t cpu_ns, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_BUDGET_H */
