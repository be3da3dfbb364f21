/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats members of the daemon's answers; a missing member is "-". */
#include <stdarg.h>
#include <stdio.h>

#include "field.h"
#include "base/json.h"
#include "base/text.h"

#define NR_BUFFERS 8
#define BUFFER_SIZE 1024 /* bytes */

/* Longer text is cut off with "...". */
struct buffer {
    char text[BUFFER_SIZE];
    size_t length;
};

static struct buffer *next_buffer(void)
{
    static struct buffer buffers[NR_BUFFERS];
    static unsigned int next;
    struct buffer *b = &buffers[next++ % NR_BUFFERS];

    b->length = 0;
    b->text[0] = '\0';

    return b;
}

static void append_text(struct buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append_text(struct buffer *b, const char *format, ...)
{
    size_t room = sizeof(b->text) - b->length;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(b->text + b->length, room, format, args);
    va_end(args);
    if (length < 0 || (size_t)length < room) {
        b->length += length < 0 ? 0 : length;
        return;
    }
    b->length = sizeof(b->text) - 1;
    snprintf(b->text + b->length - 3, 4, "...");
}

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

const char *field_name(const char *name)
{
    struct buffer *b = next_buffer();

    append_text(b, "%s", name);
    printable(b->text);

    return b->text;
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
    struct buffer *b = next_buffer();

    if (!is_number(value))
        return FIELD_MISSING;
    append_text(b, "%.*f", (int)decimals, json_object_get_double(value) * scale);

    return b->text;
}

static void append_range(struct buffer *b, int64_t first, int64_t last)
{
    if (b->length)
        append_text(b, ",");
    append_text(b, "%lld", (long long)first);
    if (last > first)
        append_text(b, "-%lld", (long long)last);
}

const char *field_ranges(const struct json_object *object, const char *name)
{
    struct json_object *array = field_array(object, name);
    struct buffer *b = next_buffer();
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
            append_range(b, first, last);
        if (!i || number - 1 != last)
            first = number;
        last = number;
    }
    append_range(b, first, last);

    return b->text;
}

const char *field_words(const struct json_object *object, const char *name)
{
    struct json_object *array = field_array(object, name);
    struct buffer *b = next_buffer();
    size_t nr, i;

    if (!array)
        return FIELD_MISSING;
    nr = json_object_array_length(array);
    for (i = 0; i < nr; i++) {
        struct json_object *value = json_object_array_get_idx(array, i);
        bool word = json_object_is_type(value, json_type_string);

        append_text(b, "%s%s", i ? " " : "",
                    word ? json_object_get_string(value) : FIELD_MISSING);
    }

    printable(b->text);

    return nr ? b->text : "none";
}

const char *field_percent(const struct json_object *object, const char *name)
{
    struct json_object *value = get_field(object, name);
    struct buffer *b = next_buffer();

    if (!is_number(value))
        return FIELD_MISSING;
    append_text(b, "%.0f %%", 100 * json_object_get_double(value));

    return b->text;
}

const char *field_shares(const struct json_object *object, const char *name)
{
    struct json_object *array = field_array(object, name);
    struct buffer *b = next_buffer();
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
        append_text(b, "%s%s %.0f %%", i ? ", " : "",
                    json_object_get_string(place),
                    100 * json_object_get_double(share));
    }
    printable(b->text);

    return b->text;
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
