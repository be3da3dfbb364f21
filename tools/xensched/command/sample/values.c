/* SPDX-License-Identifier: GPL-2.0-only */
/* values.c - see values.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "values.h"

int values_read(const char *folder, const char *name, size_t nr,
                const bool *wanted, double *y, struct xensched_error *err)
{
    bool *known = need_memory(nr, sizeof(*known));
    unsigned int line = 0;
    char path[PATH_MAX], text[200];
    size_t number, i;
    int rc = 0;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "re");
    if (!f)
        rc = xensched_fail(err, errno, "cannot open '%s', which has lines "
                           "'NUMBER VALUE': %s", path, strerror(errno));
    while (!rc && fgets(text, sizeof(text), f)) {
        double value;

        line++;
        if (sscanf(text, "%zu %lf", &number, &value) != 2 ||
            number - 1 >= nr || (wanted && !wanted[number - 1])) {
            rc = xensched_fail(err, EINVAL, "%s:%u: it takes 'NUMBER VALUE' of a "
                               "sample%s", path, line,
                               wanted ? " that was chosen" : "");
            break;
        }
        y[number - 1] = value;
        known[number - 1] = true;
    }
    for (i = 0; !rc && i < nr; i++)
        if ((!wanted || wanted[i]) && !known[i])
            rc = xensched_fail(err, ENODATA, "'%s' has no value of sample %zu",
                               path, i + 1);
    if (f)
        fclose(f);
    free(known);

    return rc;
}

int sizes_read(const char *folder, size_t nr, double **size,
               struct xensched_error *err)
{
    size_t i;
    int rc;

    *size = need_memory(nr, sizeof(**size));
    rc = values_read(folder, "sizes", nr, NULL, *size, err);
    for (i = 0; !rc && i < nr; i++)
        if (!((*size)[i] > 0))
            rc = xensched_fail(err, EINVAL, "'%s/sizes': sample %zu has none",
                               folder, i + 1);
    if (rc) {
        free(*size);
        *size = NULL;
    }

    return rc == -ENOENT ? 0 : rc;
}
