/* SPDX-License-Identifier: GPL-2.0-only */
/* matrix.c - xensched matrix: which domains talk to which others, how much. */
#include <stdio.h>

#include "field.h"
#include "question.h"
#include "command/text/table.h"

static void add_cell(struct table *table, const char *event,
                     const struct json_object *cell)
{
    table_add(table, field_name(event));
    table_add(table, field_text(cell, "from"));
    table_add(table, field_text(cell, "from_domid"));
    table_add(table, field_text(cell, "to"));
    table_add(table, field_text(cell, "to_domid"));
    table_add(table, field_number(cell, "rate", 1, 1));
    table_add(table, field_text(cell, "total"));
}

static void add_event(struct table *table, const char *event,
                      const struct json_object *cells)
{
    size_t i;

    if (!json_object_is_type(cells, json_type_array))
        return;
    for (i = 0; i < json_object_array_length(cells); i++)
        add_cell(table, event, json_object_array_get_idx(cells, i));
}

static void print(const struct json_object *result)
{
    static const char *const headers[] = {
        "EVENT", "FROM", ">ID", "TO", ">ID", ">PER SECOND", ">TOTAL", NULL
    };
    struct json_object *events = field_object(result, "events");
    struct table *table = table_new(headers);

    if (events) {
        json_object_object_foreach(events, event, cells) {
            add_event(table, event, cells);
        }
    }
    table_print(table);
    printf("\nrates have a half-life of %s ms\n",
           field_text(result, "half_life_ms"));
}

static void find_lists(struct json_object *result,
                       struct selection_lists *lists)
{
    struct json_object *events = field_object(result, "events");

    if (!events)
        return;
    json_object_object_foreach(events, event, cells) {
        (void)cells;
        selection_add(lists, events, event);
    }
}

static int run(const struct arguments *args)
{
    static const char *const ends[] = {
        "from", "from_domid", "from_group", "to", "to_domid", "to_group", NULL
    };
    static const struct selection_key keys[] = {
        { "rate", "rate" },
        { "total", "total" },
        { "from", "from" },
        { "to", "to" },
        { NULL, NULL },
    };
    static const struct selection selection = {
        .what = "pairs",
        .ends = ends,
        .keys = keys,
    };
    static const struct question question = {
        .command = "matrix",
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print,
        .selection = &selection,
        .lists = find_lists,
    };

    return question_ask(&question, args);
}

const struct command command_matrix = {
    .name = "matrix",
    .summary = "which domains talk to which others, and how much",
    .help =
        "Print which domain (FROM) did what (EVENT) to which other (TO), how "
        "much per\n"
        "second of late and how much in total; in pages for grants. KEY is "
        "rate (the\n"
        "default), total, from or to.",
    .takes = QUESTION_SELECTS,
    .run = run,
};
