/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distance-file.h - distances that were measured on a machine (`xensched
 * calibrate'), as the text of a file, and back.
 */
#ifndef XENSCHED_MODEL_DISTANCE_FILE_H
#define XENSCHED_MODEL_DISTANCE_FILE_H

#include <xensched/error.h>

#include "distance.h"

/* Of all that is marked as measured; to be freed.  The machine has @nr_cpus. */
char *distances_text(const struct distances *d, unsigned int nr_cpus);

/*
 * What @path has takes the place of what is assumed in @d.  -ENOENT: there is no
 * such file; -EINVAL: it is none, or of another machine.  Then @d is as it was.
 */
int distances_read(struct distances *d, const char *path, unsigned int nr_cpus,
                   struct xensched_error *err);

#endif /* XENSCHED_MODEL_DISTANCE_FILE_H */
