/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field.h - formats members of a JSON object from a daemon.
 *
 * A missing member, or one of another type, is "-": with a daemon of another version, the command
 * prints the rest, and invents no zero.
 *
 * Texts have no control characters, because names of domains are untrusted, and are texts of
 * text_format(): cut after 1 KiB, and valid until the 32nd call from then.
 */
#ifndef XENSCHED_FIELD_H
#define XENSCHED_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <json-c/json.h>

#define FIELD_MISSING "-"

/* Returns the value of a string, a number or a boolean. */
const char *field_text(const struct json_object *object, const char *name);

/* Returns "yes" or "no". */
const char *field_yes_no(const struct json_object *object, const char *name);

/* Returns the number * @scale with @decimals digits after the point. */
const char *field_number(const struct json_object *object, const char *name,
                         double scale, unsigned int decimals);

/* Returns an array of numbers, such as pCPUs, as "0-3,8". */
const char *field_ranges(const struct json_object *object, const char *name);

/* Returns an array of strings as "a b c"; "none" if it is empty. */
const char *field_words(const struct json_object *object, const char *name);

/*
 * Returns an array of { "place": TEXT, "share": NUMBER } as "socket 0 97 %, socket 1 3 %"; "-" also
 * if it is empty, because the shares are unknown.
 */
const char *field_shares(const struct json_object *object, const char *name);

/* Returns a share, 0 ... 1, as "97 %". */
const char *field_percent(const struct json_object *object, const char *name);

/* Returns the pCPU time per unit of work, "31.20 us/page". */
const char *field_cost(const struct json_object *object);

/* Returns the printable name of a member. */
const char *field_name(const char *name);

/* Returns the member if it is an array or object, else NULL. */
struct json_object *field_array(const struct json_object *object,
                                const char *name);
struct json_object *field_object(const struct json_object *object,
                                 const char *name);

#endif /* XENSCHED_FIELD_H */
