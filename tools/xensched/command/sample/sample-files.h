/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample-files.h - the files in a folder of samples: the samples as vectors, and the user's
 * values.
 */
#ifndef XENSCHED_COMMAND_SAMPLE_FILES_H
#define XENSCHED_COMMAND_SAMPLE_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>
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

struct folder {
    size_t nr;
    json_object **manifest; /* [nr], by number, which goes from 1 on */
    size_t dims;
    char **key;             /* [dims]: what a member of a vector is */
    double *x;              /* [nr][dims] */
    struct sizes sizes;
};

/*
 * A member of a vector is how often there was an event with a partner, how much a
 * performance counter has counted, or how much work of a kind was done: per work, if the
 * folder has sizes, else per unit of the interval.  Its logarithm, and of that the place
 * between the least and the most of all.  What differs by less than a factor of two is
 * not stretched.  One more, the first, is when in the run it was: what changes in a
 * guest need not be seen in rows, and neighbours are alike rather than others.
 */
int folder_read(struct folder *f, const char *path, struct xensched_error *err);
void folder_free(struct folder *f);

#endif /* XENSCHED_COMMAND_SAMPLE_FILES_H */
