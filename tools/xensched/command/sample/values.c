/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads files of measured values, with the line of each mistake. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "values.h"

#define LONGEST 400

/* As many as there are, up to @most, are in @y. */
static size_t numbers_of(const char *text, size_t most, double *y)
{
    size_t nr = 0;
    char *end;

    for (; nr < most; nr++, text = end) {
        y[nr] = strtod(text, &end);
        if (end == text)
            break;
    }

    return nr;
}

/* The sample's number, or 0 if it is no such line. */
static size_t take_line(const char *text, size_t nr, size_t width,
                        const bool *wanted, double *y)
{
    char *rest;
    size_t number = strtoul(text, &rest, 10);

    if (rest == text || number - 1 >= nr || (wanted && !wanted[number - 1]) ||
        numbers_of(rest, width, y + (number - 1) * width) < width)
        return 0;

    return number;
}

static FILE *open_values(const char *folder, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", folder, name);

    return fopen(path, "re");
}

int values_read(const char *folder, const char *name, size_t nr, size_t width,
                const bool *wanted, double *y, struct xensched_error *err)
{
    FILE *f = open_values(folder, name);
    bool *known = need_memory(nr, sizeof(*known));
    unsigned int line = 0;
    char text[LONGEST];
    size_t i;
    int rc = 0;

    if (!f)
        rc = xensched_fail(err, errno, "cannot open '%s/%s', which has lines "
                           "'NUMBER VALUE': %s", folder, name, strerror(errno));
    while (!rc && fgets(text, sizeof(text), f)) {
        size_t number = take_line(text, nr, width, wanted, y);

        line++;
        if (number)
            known[number - 1] = true;
        else
            rc = xensched_fail(err, EINVAL, "%s/%s:%u: it takes 'NUMBER VALUE' of a "
                               "sample%s", folder, name, line,
                               wanted ? " that was chosen"
                                      : ", and as many values in each line");
    }
    for (i = 0; !rc && i < nr; i++)
        if ((!wanted || wanted[i]) && !known[i])
            rc = xensched_fail(err, ENODATA, "'%s/%s' has no value of sample %zu",
                               folder, name, i + 1);
    if (f)
        fclose(f);
    free(known);

    return rc;
}

/* Values in the first line; 1 if there is none. */
static size_t width_of(const char *folder, const char *name)
{
    double of[LONGEST / 2];
    char text[LONGEST];
    FILE *f = open_values(folder, name);
    size_t nr = 0;

    if (f && fgets(text, sizeof(text), f))
        nr = numbers_of(text, LONGEST / 2, of);
    if (f)
        fclose(f);

    return nr > 2 ? nr - 1 : 1;
}

int sizes_read(const char *folder, size_t nr, struct sizes *s,
               struct xensched_error *err)
{
    size_t width = width_of(folder, "sizes"), i;
    double *y = need_memory(nr * width, sizeof(*y));
    int rc = values_read(folder, "sizes", nr, width, NULL, y, err);

    *s = (struct sizes){ .kinds = 0 };
    for (i = 0; !rc && i < nr; i++)
        if (!(y[i * width] > 0))
            rc = xensched_fail(err, EINVAL, "'%s/sizes': sample %zu has none",
                               folder, i + 1);
    if (!rc) {
        s->kinds = width - 1;
        s->size = need_memory(nr, sizeof(*s->size));
        s->kind = need_memory(nr * s->kinds + 1, sizeof(*s->kind));
        for (i = 0; i < nr; i++) {
            s->size[i] = y[i * width];
            memcpy(s->kind + i * s->kinds, y + i * width + 1,
                   s->kinds * sizeof(*s->kind));
        }
    }
    free(y);

    return rc == -ENOENT ? 0 : rc;
}

void sizes_free(struct sizes *s)
{
    free(s->size);
    free(s->kind);
}
