/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - the samples that are in a folder, as vectors.
 */
#ifndef XENSCHED_SAMPLE_FOLDER_H
#define XENSCHED_SAMPLE_FOLDER_H

#include <stddef.h>

#include <json-c/json.h>

#include <xensched/error.h>

#include "values.h"

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

#endif /* XENSCHED_SAMPLE_FOLDER_H */
