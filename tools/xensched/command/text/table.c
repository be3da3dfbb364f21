/* SPDX-License-Identifier: GPL-2.0-only */
/* Aligns the columns of a table, whatever their width. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "base/text.h"
#include "table.h"

struct table {
    const char *const *headers;
    size_t columns;
    char **cells; /* the headers are the first row */
    size_t nr, room;
};

static void *or_end(void *p)
{
    if (!p) {
        complain("out of memory");
        exit(EXIT_FAILED);
    }

    return p;
}

void table_add(struct table *table, const char *text)
{
    char *cell = or_end(strdup(text));

    if (table->nr == table->room) {
        table->room = table->room ? 2 * table->room : 64;
        table->cells = or_end(reallocarray(table->cells, table->room,
                                           sizeof(*table->cells)));
    }
    table->cells[table->nr++] = cell;
}

void table_add_format(struct table *table, const char *format, ...)
{
    char text[64];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    table_add(table, text);
}

struct table *table_new(const char *const *headers)
{
    struct table *table = or_end(calloc(1, sizeof(*table)));

    table->headers = headers;
    for (; headers[table->columns]; table->columns++) {
        const char *header = headers[table->columns];

        table_add(table, header + (*header == '>'));
    }

    return table;
}

static size_t column_width(const struct table *table, size_t column)
{
    size_t width = 0, i;

    for (i = column; i < table->nr; i += table->columns) {
        size_t this = printable_width(table->cells[i]);

        if (this > width)
            width = this;
    }

    return width;
}

static void print_cell(const struct table *table, size_t i, size_t width)
{
    size_t column = i % table->columns;
    int pad = width - printable_width(table->cells[i]);
    bool last = column + 1 == table->columns;

    if (table->headers[column][0] == '>')
        printf("%*s%s", pad, "", table->cells[i]);
    else
        printf("%s%*s", table->cells[i], last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", stdout);
}

void table_print(struct table *table)
{
    size_t *widths = or_end(calloc(table->columns, sizeof(*widths)));
    size_t i;

    for (i = 0; i < table->columns; i++)
        widths[i] = column_width(table, i);
    for (i = 0; i < table->nr; i++) {
        print_cell(table, i, widths[i % table->columns]);
        free(table->cells[i]);
    }
    free(widths);
    free(table->cells);
    free(table);
}
