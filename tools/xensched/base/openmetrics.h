/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openmetrics.h - writes the parts of a metrics file, in the text format of OpenMetrics.
 */
#ifndef XENSCHED_BASE_OPENMETRICS_H
#define XENSCHED_BASE_OPENMETRICS_H

#include <stdio.h>

/* Begins a family, xensched_@name.  Its samples have to follow. */
void openmetrics_family(FILE *out, const char *name, const char *type,
                        const char *help);

/* Writes a label and its value; names of domains can have any bytes. */
void openmetrics_label(FILE *out, const char *name, const char *value);

#endif /* XENSCHED_BASE_OPENMETRICS_H */
