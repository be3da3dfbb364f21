/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the samples in a folder as vectors, and the user's values about them. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "sample-files.h"

/* Files of values, whose mistakes are reported with their line. */

#define LONGEST 400

/* Reads up to @most numbers into @y; returns how many there were. */
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

/* Returns the sample's number, or 0 for an invalid line. */
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

/* Returns the number of values in the first line; 1 if there is none. */
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

/* The samples of a folder. */

#define MOST_KEYS 4096U

/* The first member, which every vector has: the sample's position in the run. */
#define WHEN "when"

static int take_manifest(struct folder *f, const char *path,
                         struct xensched_error *err)
{
    json_object *json = json_object_from_file(path);

    if (json_number(json, "version", 0) != 1 ||
        json_number(json, "number", 0) != f->nr + 1 ||
        json_number(json, "end", 0) <= json_number(json, "begin", 0) ||
        !json_member(json, "did", json_type_object)) {
        json_object_put(json);
        return xensched_fail(err, EPROTO, "'%s' is no manifest of a sample, or "
                             "of a later version", path);
    }
    f->manifest = need_more_memory(f->manifest, f->nr + 1,
                                   sizeof(*f->manifest));
    f->manifest[f->nr++] = json;

    return 0;
}

static size_t key_of(struct folder *f, const char *name)
{
    size_t i;

    for (i = 0; i < f->dims; i++)
        if (!strcmp(f->key[i], name))
            return i;
    if (f->dims == MOST_KEYS)
        return MOST_KEYS;
    f->key = need_more_memory(f->key, f->dims + 1, sizeof(*f->key));
    f->key[f->dims] = need_string(name);

    return f->dims++;
}

/* Service says nothing if intervals are defined by it. */
static bool is_told_by(const struct folder *f, const char *name)
{
    const char *unit = json_text(f->manifest[0], "unit");

    return strncmp(name, "service", strlen("service")) ||
           (unit && !strcmp(unit, "events"));
}

static void find_keys(struct folder *f)
{
    char kind[32];
    size_t i;

    key_of(f, WHEN);
    for (i = 0; i < f->sizes.kinds; i++) {
        snprintf(kind, sizeof(kind), "kind %zu", i + 1);
        key_of(f, kind);
    }
    for (i = 0; i < f->nr; i++) {
        json_object *did = json_member(f->manifest[i], "did", json_type_object);

        json_object_object_foreach(did, name, value) {
            (void)value;
            if (is_told_by(f, name))
                key_of(f, name);
        }
    }
}

/* Returns an interval's length, by the counter. */
static double length_of(const struct folder *f, size_t i)
{
    return json_number(f->manifest[i], "end", 1) -
           json_number(f->manifest[i], "begin", 0);
}

/* Returns the average length of as much work; the interval's own if that is unknown. */
static double usual_length_of(const struct folder *f, size_t i)
{
    double lengths = 0, sizes = 0;
    size_t n;

    if (!f->sizes.size)
        return length_of(f, i);
    for (n = 0; n < f->nr; n++) {
        lengths += length_of(f, n);
        sizes += f->sizes.size[n];
    }

    return f->sizes.size[i] * lengths / sizes;
}

/* Returns how often the event happened; for resources, the amount. */
static double amount_of(const char *name, json_object *value)
{
    bool used = !strncmp(name, "service", strlen("service")) ||
                !strncmp(name, "pmc", strlen("pmc"));

    return json_number(value, used ? "sum" : "rows", 0);
}

static double member_of(double amount, double length)
{
    return log2(1 + 1e6 / length * amount);
}

static void fill_in(struct folder *f)
{
    size_t i, k;

    for (i = 0; i < f->nr; i++) {
        json_object *did = json_member(f->manifest[i], "did", json_type_object);
        double length = usual_length_of(f, i);
        double *x = f->x + i * f->dims;

        x[0] = i;
        for (k = 0; k < f->sizes.kinds; k++)
            x[1 + k] = member_of(f->sizes.kind[i * f->sizes.kinds + k], length);
        json_object_object_foreach(did, name, value) {
            size_t key = is_told_by(f, name) ? key_of(f, name) : MOST_KEYS;

            if (key < MOST_KEYS)
                x[key] = member_of(amount_of(name, value), length);
        }
    }
}

static void scale_dimensions(struct folder *f)
{
    size_t i, d;

    for (d = 0; d < f->dims; d++) {
        double low = INFINITY, high = -INFINITY, range;

        for (i = 0; i < f->nr; i++) {
            low = fmin(low, f->x[i * f->dims + d]);
            high = fmax(high, f->x[i * f->dims + d]);
        }
        range = fmax(high - low, 1);
        for (i = 0; i < f->nr; i++)
            f->x[i * f->dims + d] = (f->x[i * f->dims + d] - low) / range;
    }
}

int folder_read(struct folder *f, const char *path, struct xensched_error *err)
{
    char name[PATH_MAX];
    int rc = 0;

    memset(f, 0, sizeof(*f));
    for (;;) {
        snprintf(name, sizeof(name), "%s/%04zu.json", path, f->nr + 1);
        if (access(name, F_OK))
            break;
        rc = take_manifest(f, name, err);
        if (rc)
            return rc;
    }
    if (!f->nr)
        return xensched_fail(err, ENOENT, "there are no samples in '%s'", path);
    rc = sizes_read(path, f->nr, &f->sizes, err);
    if (rc)
        return rc;
    find_keys(f);
    f->x = need_memory(f->nr * (f->dims + 1), sizeof(*f->x));
    fill_in(f);
    scale_dimensions(f);

    return 0;
}

void folder_free(struct folder *f)
{
    while (f->nr)
        json_object_put(f->manifest[--f->nr]);
    while (f->dims)
        free(f->key[--f->dims]);
    free(f->manifest);
    free(f->key);
    free(f->x);
    sizes_free(&f->sizes);
}
