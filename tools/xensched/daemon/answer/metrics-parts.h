/* SPDX-License-Identifier: GPL-2.0-only */
/* metrics-parts.h - groups of metrics that have a file each. */
#ifndef XENSCHED_DAEMON_METRICS_PARTS_H
#define XENSCHED_DAEMON_METRICS_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "daemon/core/core.h"

/* Writes use, locations, memory and work of each domain, and rates between domains. */
void metrics_write_domains(FILE *out, const struct core *core, uint64_t now_ns);

/* Writes which domains wait for a pCPU, why, and for which domains. */
void metrics_write_waits(FILE *out, const struct core *core, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_METRICS_PARTS_H */
