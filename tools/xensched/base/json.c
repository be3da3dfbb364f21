/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads members of foreign JSON with checks, and adds members to new JSON. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "json.h"
#include "text.h"

json_object *json_member(const json_object *object, const char *key,
                         json_type type)
{
    json_object *value;

    return json_object_is_type(object, json_type_object) &&
           json_object_object_get_ex(object, key, &value) &&
           json_object_is_type(value, type) ? value : NULL;
}

const char *json_text(const json_object *object, const char *key)
{
    json_object *value = json_member(object, key, json_type_string);

    return value ? json_object_get_string(value) : NULL;
}

double json_number(const json_object *object, const char *key,
                   double otherwise)
{
    json_object *value = json_member(object, key, json_type_double);

    if (!value)
        value = json_member(object, key, json_type_int);

    return value ? json_object_get_double(value) : otherwise;
}

void json_add_int(json_object *object, const char *key, uint64_t number)
{
    json_object_object_add(object, key,
                           json_object_new_int64(number > INT64_MAX
                                                 ? INT64_MAX : number));
}

void json_add_bool(json_object *object, const char *key, int value)
{
    json_object_object_add(object, key, json_object_new_boolean(value));
}

json_object *json_new_text(const char *text)
{
    json_object *json;
    char *valid;

    if (utf8_is_valid(text))
        return json_object_new_string(text);
    valid = utf8_made_valid(text);
    json = json_object_new_string(valid);
    free(valid);

    return json;
}

void json_add_text(json_object *object, const char *key, const char *text)
{
    json_object_object_add(object, key, json_new_text(text));
}

void json_add_time(json_object *object, const char *key, int64_t unix_time)
{
    time_t time = unix_time;
    char text[40];
    struct tm tm;

    gmtime_r(&time, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_add_text(object, key, text);
}

void json_add_real(json_object *object, const char *key, double number,
                   unsigned int digits)
{
    char text[64];

    snprintf(text, sizeof(text), "%.*f", (int)digits, number);
    json_object_object_add(object, key,
                           json_object_new_double_s(number, text));
}

json_object *json_new_exact(double number)
{
    int digits = DBL_DECIMAL_DIG - 2;
    char text[40];

    if (!isfinite(number))
        return NULL;
    do
        snprintf(text, sizeof(text), "%.*g", digits, number);
    while (strtod(text, NULL) != number && digits++ < DBL_DECIMAL_DIG);

    return json_object_new_double_s(number, text);
}

void json_add_exact(json_object *object, const char *key, double number)
{
    json_object_object_add(object, key, json_new_exact(number));
}

void json_add_domain(json_object *object, const char *key,
                     const char *domid_key, uint32_t domid, const char *name)
{
    char text[32];

    snprintf(text, sizeof(text), "domain %u", domid);
    json_add_text(object, key, name[0] ? name : text);
    json_add_int(object, domid_key, domid);
}

void json_print(json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
                                        JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(object);
}
