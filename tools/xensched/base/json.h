/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - members of JSON objects: foreign JSON is read with checks, new JSON
 * has one form.
 */
#ifndef XENSCHED_BASE_JSON_H
#define XENSCHED_BASE_JSON_H

#include <stdint.h>

#include <json-c/json.h>

/*
 * The member @key, or NULL: @object is NULL or no object, has no such member,
 * or one of another type.  It stays the object's.
 */
json_object *json_member(const json_object *object, const char *key,
                         json_type type);

/* The same for a string: its text, which is the object's. */
const char *json_text(const json_object *object, const char *key);

/* The same for a number of either type; @otherwise if there is none. */
double json_number(const json_object *object, const char *key,
                   double otherwise);

/* Add a member.  Numbers above INT64_MAX become that. */
void json_add_int(json_object *object, const char *key, uint64_t number);
void json_add_bool(json_object *object, const char *key, int value);
/*
 * Texts that others wrote, such as names of domains, may be any bytes; JSON is
 * UTF-8.  What is no UTF-8 becomes U+FFFD.
 */
json_object *json_new_text(const char *text);
void json_add_text(json_object *object, const char *key, const char *text);
/* As "2026-11-22T12:48:04Z". */
void json_add_time(json_object *object, const char *key, int64_t unix_time);
/* Rounded to @digits behind the point. */
void json_add_real(json_object *object, const char *key, double number,
                   unsigned int digits);

/* With as few digits as give the same number again; null if it is not finite. */
json_object *json_new_exact(double number);
void json_add_exact(json_object *object, const char *key, double number);

/* Print @object to standard output, indented, and free it. */
void json_print(json_object *object);

/*
 * The name of a domain, or "domain DOMID" when it has none, as @key, and its
 * domid as @domid_key.
 */
void json_add_domain(json_object *object, const char *key,
                     const char *domid_key, uint32_t domid, const char *name);

#endif /* XENSCHED_BASE_JSON_H */
