/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field.h - members of a JSON object which a daemon sent, as text to print.
 *
 * What isn't there, or has another type than expected, is "-": a daemon of
 * another version is no reason to print nothing or to invent a zero.
 *
 * Text is without control characters, since names of domains come from elsewhere, and a text
 * of text_format(): cut off after 1 KiB, and valid until the 32nd call from then.
 */
#ifndef XENSCHED_FIELD_H
#define XENSCHED_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

#define FIELD_MISSING "-"

/* The value of a string, a number or a boolean as it is. */
const char *field_text(const struct json_object *object, const char *name);

/* "yes" or "no". */
const char *field_yes_no(const struct json_object *object, const char *name);

/* Number * @scale with @decimals digits after the point. */
const char *field_number(const struct json_object *object, const char *name,
                         double scale, unsigned int decimals);

/* An array of numbers, such as pCPUs, as "0-3,8". */
const char *field_ranges(const struct json_object *object, const char *name);

/* An array of strings, as "a b c"; "none" when it is empty. */
const char *field_words(const struct json_object *object, const char *name);

/*
 * An array of { "place": TEXT, "share": NUMBER } as "socket 0 97 %, socket 1
 * 3 %"; an empty one is not known, which is "-", too.
 */
const char *field_shares(const struct json_object *object, const char *name);

/* A share, 0 ... 1, as "97 %". */
const char *field_percent(const struct json_object *object, const char *name);

/* pCPU time per unit of work, "31.20 us/page". */
const char *field_cost(const struct json_object *object);

/* The name of a member itself, to be printed. */
const char *field_name(const char *name);

/* The member if it is an array or object, else NULL. */
struct json_object *field_array(const struct json_object *object,
                                const char *name);
struct json_object *field_object(const struct json_object *object,
                                 const char *name);

#endif /* XENSCHED_FIELD_H */
