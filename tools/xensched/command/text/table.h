/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - prints text in aligned columns.
 *
 * Cells are printed as they are.  Ends the program without memory.
 */
#ifndef XENSCHED_TABLE_H
#define XENSCHED_TABLE_H

struct table;

/*
 * @headers ends with NULL.  A header that begins with '>' aligns its column to the right.
 */
struct table *table_new(const char *const *headers);

/* Adds the next cell, from left to right and row by row. */
void table_add(struct table *table, const char *text);

/* Adds what printf() would print: a number, not an untrusted text. */
void table_add_format(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints to stdout, headers included, and frees the table. */
void table_print(struct table *table);

#endif /* XENSCHED_TABLE_H */
