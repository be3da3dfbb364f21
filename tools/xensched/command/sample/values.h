/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - what the user has written about samples: files of lines
 * "NUMBER VALUE...".
 */
#ifndef XENSCHED_SAMPLE_VALUES_H
#define XENSCHED_SAMPLE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include <xensched/error.h>

/*
 * Of @nr samples, a line of @width values for each that is wanted (NULL: for all), and
 * for no other; -ENOENT if there is no such file.
 */
int values_read(const char *folder, const char *name, size_t nr, size_t width,
                const bool *wanted, double *y, struct xensched_error *err);

/* How much work each interval was, and how much of each kind, if that is known. */
struct sizes {
    double *size; /* [nr], or NULL */
    size_t kinds;
    double *kind; /* [nr][kinds] */
};

/* Lines "NUMBER SIZE [KIND...]". */
int sizes_read(const char *folder, size_t nr, struct sizes *s,
               struct xensched_error *err);
void sizes_free(struct sizes *s);

#endif /* XENSCHED_SAMPLE_VALUES_H */
