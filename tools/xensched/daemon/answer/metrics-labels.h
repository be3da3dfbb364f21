/* SPDX-License-Identifier: GPL-2.0-only */
/* metrics-labels.h - labels that name a domain, and the beginnings of its samples. */
#ifndef XENSCHED_DAEMON_METRICS_LABELS_H
#define XENSCHED_DAEMON_METRICS_LABELS_H

#include <stdint.h>
#include <stdio.h>

#include "model/domain.h"

/* Writes PREFIXdomain and PREFIXdomid. */
void metrics_label_domain(FILE *out, const char *prefix, const char *name, uint32_t domid);

/* Begins a sample of @d, up to its last label. */
void metrics_begin_sample(FILE *out, const char *name, const struct domain *d);

#endif /* XENSCHED_DAEMON_METRICS_LABELS_H */
