/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - what somebody else has written about samples: files of lines
 * "NUMBER VALUE".
 */
#ifndef XENSCHED_SAMPLE_VALUES_H
#define XENSCHED_SAMPLE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <xensched/error.h>

/*
 * Of @nr samples, one value for each that is wanted (NULL: for all), and for no
 * other; -ENOENT if there is no such file.
 */
int values_read(const char *folder, const char *name, size_t nr,
                const bool *wanted, double *y, struct xensched_error *err);

/* How much work each interval was, if that is known: *size is NULL otherwise. */
int sizes_read(const char *folder, size_t nr, double **size,
               struct xensched_error *err);

#endif /* XENSCHED_SAMPLE_VALUES_H */
