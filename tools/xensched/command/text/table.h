/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - text in aligned columns.
 *
 * Cells are printed as they are.  Without memory the program ends.
 */
#ifndef XENSCHED_TABLE_H
#define XENSCHED_TABLE_H

struct table;

/*
 * @headers ends with NULL.  A header which begins with '>' makes a column
 * which is aligned to the right.
 */
struct table *table_new(const char *const *headers);

/* The next cell, from left to right and row by row. */
void table_add(struct table *table, const char *text);

/* The same, of what printf() would print: a number, not a text of others. */
void table_add_format(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print to stdout, headers too, and free. */
void table_print(struct table *table);

#endif /* XENSCHED_TABLE_H */
