/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openmetrics.h - writes a metrics file, in the text format of OpenMetrics.
 */
#ifndef XENSCHED_BASE_OPENMETRICS_H
#define XENSCHED_BASE_OPENMETRICS_H

#include <stddef.h>
#include <stdio.h>

#include <xensched/error.h>

/* Metrics, in memory until they are complete. */
struct openmetrics {
    FILE *out;
    char *text;
    size_t length;
};

int openmetrics_begin(struct openmetrics *m, struct xensched_error *err);

/* Replaces @path by the metrics, and frees these. */
int openmetrics_end(struct openmetrics *m, const char *path, struct xensched_error *err);

/* Begins a family, xensched_@name.  Its samples have to follow. */
void openmetrics_family(FILE *out, const char *name, const char *type,
                        const char *help);

/* Writes a label and its value; names of domains can have any bytes. */
void openmetrics_label(FILE *out, const char *name, const char *value);

#endif /* XENSCHED_BASE_OPENMETRICS_H */
