/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes learned prices as JSON and reads them again.
 *
 * The file: {"version": 1, "map": {"moves", "extra_ns", "squares", "near_ns",
 * "priced_ns", "aged"}, "copy": likewise, "notify": likewise}; extra_ns is a mean,
 * squares the sum of squared deviations from it, aged a Unix time.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "learned-file.h"
#include "base/json.h"
#include "base/file.h"

#define LEARNED_VERSION 1

/* The limit for deviations of LEARNED_MOST_NS. */
#define MOST_SQUARES (LEARNED_MOST * 4 * LEARNED_MOST_NS * LEARNED_MOST_NS)

static json_object *price_to_json(const struct learned_price *price)
{
    json_object *json = json_object_new_object();

    json_add_int(json, "moves", price->extra.n);
    json_add_exact(json, "extra_ns", price->extra.mean);
    json_add_exact(json, "squares", price->extra.squares);
    json_add_exact(json, "near_ns", price->near_ns);
    json_add_exact(json, "priced_ns", price->priced_ns);
    json_add_int(json, "aged", price->aged);

    return json;
}

int learned_save(struct learned *l, const char *path, struct xensched_error *err)
{
    json_object *json = json_object_new_object();
    const char *text;
    unsigned int i;
    int rc;

    json_add_int(json, "version", LEARNED_VERSION);
    for (i = 0; i < NR_BACK_END_KINDS; i++)
        json_object_object_add(json, back_end_kind_name(i), price_to_json(&l->of[i]));
    text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY);
    rc = replace_file(path, text, strlen(text), 0600, true, err);
    if (!rc)
        l->unsaved = false;
    json_object_put(json);

    return rc;
}

static bool get_number(const json_object *json, const char *key, double least, double most,
                       double *number)
{
    *number = json_number(json, key, NAN);

    return *number >= least && *number <= most;
}

static bool get_whole(const json_object *json, const char *key, double most,
                      double *number)
{
    return get_number(json, key, 0, most, number) && *number == floor(*number);
}

static bool price_from_json(struct learned_price *price, const json_object *json)
{
    double moves, aged;

    if (!get_whole(json, "moves", LEARNED_MOST, &moves) ||
        !get_whole(json, "aged", 1e12, &aged) ||
        !get_number(json, "extra_ns", -LEARNED_MOST_NS, LEARNED_MOST_NS, &price->extra.mean) ||
        !get_number(json, "squares", 0, MOST_SQUARES, &price->extra.squares) ||
        !get_number(json, "near_ns", 0, LEARNED_MOST_NS, &price->near_ns) ||
        !get_number(json, "priced_ns", 0, LEARNED_MOST_NS, &price->priced_ns))
        return false;
    price->extra.n = moves;
    price->aged = aged;

    return true;
}

static bool from_json(struct learned *l, const json_object *json)
{
    unsigned int i;

    if (json_number(json, "version", 0) != LEARNED_VERSION)
        return false;
    for (i = 0; i < NR_BACK_END_KINDS; i++)
        if (!price_from_json(&l->of[i], json_member(json, back_end_kind_name(i),
                                                    json_type_object)))
            return false;

    return true;
}

int learned_load(struct learned *l, const char *path, struct xensched_error *err)
{
    struct learned read = { 0 };
    json_object *json;
    bool good;

    if (access(path, F_OK) && errno == ENOENT)
        return 0;
    json = json_object_from_file(path);
    good = from_json(&read, json);
    json_object_put(json);
    if (!good)
        return xensched_fail(err, EINVAL, "'%s' is damaged, or of another version of "
                             "xenschedd: prices are learned again from the next moves",
                             path);
    *l = read;

    return 0;
}
