/* SPDX-License-Identifier: GPL-2.0-only */
/* metrics-parts.h - groups of metrics that have a file each, and the labels that they share. */
#ifndef XENSCHED_DAEMON_METRICS_PARTS_H
#define XENSCHED_DAEMON_METRICS_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "daemon/core/core.h"

/* Writes the labels PREFIXdomain and PREFIXdomid. */
void metrics_label_domain(FILE *out, const char *prefix, const char *name, uint32_t domid);

/* Begins a sample of @d, up to its last label. */
void metrics_begin_sample(FILE *out, const char *name, const struct domain *d);

/* Writes use, locations, memory and work of each domain, and rates between domains. */
void metrics_write_domains(FILE *out, const struct core *core, uint64_t now_ns);

/* Writes which domains wait for a pCPU, why, and for which domains. */
void metrics_write_waits(FILE *out, const struct core *core, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_METRICS_PARTS_H */
