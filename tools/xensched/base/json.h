/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - reads members of foreign JSON objects with checks, and writes new JSON in one form.
 */
#ifndef XENSCHED_BASE_JSON_H
#define XENSCHED_BASE_JSON_H

#include <stdint.h>

#include <json-c/json.h>

/*
 * Returns the member @key; NULL if @object is NULL or no object, or has no such member of this
 * type.  The object owns the result.
 */
json_object *json_member(const json_object *object, const char *key,
                         json_type type);

/* Returns the text of a string, which the object owns. */
const char *json_text(const json_object *object, const char *key);

/* Returns a number of either type; @otherwise if there is none. */
double json_number(const json_object *object, const char *key,
                   double otherwise);

/* Add a member.  Numbers above INT64_MAX become INT64_MAX. */
void json_add_int(json_object *object, const char *key, uint64_t number);
void json_add_bool(json_object *object, const char *key, int value);
/*
 * Texts of others, such as names of domains, may be any bytes, but JSON is UTF-8.  Invalid bytes
 * become U+FFFD.
 */
json_object *json_new_text(const char *text);
void json_add_text(json_object *object, const char *key, const char *text);
/* Adds a time as "2026-11-22T12:48:04Z". */
void json_add_time(json_object *object, const char *key, int64_t unix_time);
/* Adds a number with @digits decimals. */
void json_add_real(json_object *object, const char *key, double number,
                   unsigned int digits);

/* Uses the fewest digits that give the same number again; null if it is not finite. */
json_object *json_new_exact(double number);
void json_add_exact(json_object *object, const char *key, double number);

/* Prints @object to standard output, indented, and frees it. */
void json_print(json_object *object);

/*
 * Adds the name of a domain, or "domain DOMID" without a name, as @key, and its domid as
 * @domid_key.
 */
void json_add_domain(json_object *object, const char *key,
                     const char *domid_key, uint32_t domid, const char *name);

#endif /* XENSCHED_BASE_JSON_H */
