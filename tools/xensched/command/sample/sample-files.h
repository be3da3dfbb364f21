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
 * Reads, for @nr samples, a line of @width values for each in @wanted (NULL: for all), and no
 * other.  Returns -ENOENT if there is no such file.
 */
int values_read(const char *folder, const char *name, size_t nr, size_t width,
                const bool *wanted, double *y, struct xensched_error *err);

/* The amount of work of each interval, and of each kind of it, if known. */
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
    json_object **manifest; /* [nr], by number, which starts at 1 */
    size_t dims;
    char **key;             /* [dims]: meaning of a member of a vector */
    double *x;              /* [nr][dims] */
    struct sizes sizes;
};

/*
 * A member of a vector is the number of events with a partner, the count of a performance counter,
 * or the amount of a kind of work: per unit of work if the folder has sizes, otherwise per unit of
 * the interval.  It is the logarithm, scaled to the range from the least to the greatest of all;
 * differences below a factor of two are not stretched.  The first member is the position in the
 * run, because changes in a guest need not appear in rows, and neighbours are similar.
 */
int folder_read(struct folder *f, const char *path, struct xensched_error *err);
void folder_free(struct folder *f);

#endif /* XENSCHED_COMMAND_SAMPLE_FILES_H */
