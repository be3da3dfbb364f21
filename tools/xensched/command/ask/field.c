/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats members of the daemon's answers; a missing member is "-". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "base/json.h"
#include "base/text.h"

static struct json_object *get_field(const struct json_object *object,
                                     const char *name)
{
    struct json_object *value;

    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, name, &value))
        return NULL;

    return value;
}

static bool is_number(struct json_object *value)
{
    return json_object_is_type(value, json_type_int) ||
           json_object_is_type(value, json_type_double);
}

const char *field_text(const struct json_object *object, const char *name)
{
    struct json_object *value = get_field(object, name);

    if (!value || json_object_is_type(value, json_type_object) ||
        json_object_is_type(value, json_type_array))
        return FIELD_MISSING;

    return field_name(json_object_get_string(value));
}

const char *field_cost(const struct json_object *object)
{
    const char *cost = field_number(object, "cost_us", 1, 2);

    return strcmp(cost, FIELD_MISSING)
           ? text_format("%s us/%s", cost, field_text(object, "cost_per")) : cost;
}

const char *field_name(const char *name)
{
    char *text = text_format("%s", name);

    printable(text);

    return text;
}

const char *field_yes_no(const struct json_object *object, const char *name)
{
    struct json_object *value = json_member(object, name, json_type_boolean);

    if (!value)
        return FIELD_MISSING;

    return json_object_get_boolean(value) ? "yes" : "no";
}

const char *field_number(const struct json_object *object, const char *name,
                         double scale, unsigned int decimals)
{
    struct json_object *value = get_field(object, name);

    if (!is_number(value))
        return FIELD_MISSING;

    return text_format("%.*f", (int)decimals, json_object_get_double(value) * scale);
}

static void append_range(char *text, int64_t first, int64_t last)
{
    if (*text)
        text_append(text, ",");
    text_append(text, "%lld", (long long)first);
    if (last > first)
        text_append(text, "-%lld", (long long)last);
}

const char *field_ranges(const struct json_object *object, const char *name)
{
    struct json_object *array = field_array(object, name);
    char *text = text_format("%s", "");
    int64_t first = 0, last = 0;
    size_t nr, i;

    if (!array)
        return FIELD_MISSING;
    nr = json_object_array_length(array);
    if (!nr)
        return "none";

    for (i = 0; i < nr; i++) {
        struct json_object *value = json_object_array_get_idx(array, i);
        int64_t number = json_object_get_int64(value);

        if (!json_object_is_type(value, json_type_int) || number < 0)
            return FIELD_MISSING;
        if (i && number - 1 != last)
            append_range(text, first, last);
        if (!i || number - 1 != last)
            first = number;
        last = number;
    }
    append_range(text, first, last);

    return text;
}

const char *field_words(const struct json_object *object, const char *name)
{
    struct json_object *array = field_array(object, name);
    char *text = text_format("%s", "");
    size_t nr, i;

    if (!array)
        return FIELD_MISSING;
    nr = json_object_array_length(array);
    for (i = 0; i < nr; i++) {
        struct json_object *value = json_object_array_get_idx(array, i);
        bool word = json_object_is_type(value, json_type_string);

        text_append(text, "%s%s", i ? " " : "",
                    word ? json_object_get_string(value) : FIELD_MISSING);
    }

    printable(text);

    return nr ? text : "none";
}

const char *field_percent(const struct json_object *object, const char *name)
{
    struct json_object *value = get_field(object, name);

    if (!is_number(value))
        return FIELD_MISSING;

    return text_format("%.0f %%", 100 * json_object_get_double(value));
}

const char *field_shares(const struct json_object *object, const char *name)
{
    struct json_object *array = field_array(object, name);
    char *text = text_format("%s", "");
    size_t i;

    if (!array || !json_object_array_length(array))
        return FIELD_MISSING;
    for (i = 0; i < json_object_array_length(array); i++) {
        struct json_object *one = json_object_array_get_idx(array, i);
        struct json_object *place = get_field(one, "place");
        struct json_object *share = get_field(one, "share");

        if (!json_object_is_type(place, json_type_string) ||
            !is_number(share))
            return FIELD_MISSING;
        text_append(text, "%s%s %.0f %%", i ? ", " : "",
                    json_object_get_string(place),
                    100 * json_object_get_double(share));
    }
    printable(text);

    return text;
}

struct json_object *field_array(const struct json_object *object,
                                const char *name)
{
    return json_member(object, name, json_type_array);
}

struct json_object *field_object(const struct json_object *object,
                                 const char *name)
{
    return json_member(object, name, json_type_object);
}
