/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched matrix: shows which domains communicate, and how much; or which processes of a guest do.
 */
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "question.h"
#include "command/text/table.h"

static void print_rates(struct table *table, const struct json_object *result)
{
    table_print(table);
    printf("\nrates have a half-life of %s ms\n",
           field_text(result, "half_life_ms"));
}

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
    table_add(table, field_cost(cell));
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

static void print_matrix(const struct json_object *result)
{
    static const char *const headers[] = {
        "EVENT", "FROM", ">ID", "TO", ">ID", ">PER SECOND", ">TOTAL",
        ">COST/UNIT", NULL
    };
    struct json_object *events = field_object(result, "events");
    struct table *table = table_new(headers);

    if (events) {
        json_object_object_foreach(events, event, cells) {
            add_event(table, event, cells);
        }
    }
    print_rates(table, result);
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

/* A process without a name had ended when the guest reported it. */
static const char *command_of(const struct json_object *process)
{
    const char *command = field_text(process, "command");

    return *command ? command : FIELD_MISSING;
}

/* Prints why there may be fewer rows than the user expects. */
static void print_reason(const struct json_object *result)
{
    const char *reason = field_text(result, "reason");

    if (*reason && strcmp(reason, FIELD_MISSING))
        printf("%s: %s\n", field_text(result, "domain"), reason);
}

static void print_processes(const struct json_object *result)
{
    static const char *const headers[] = {
        ">PID", "COMMAND", "TO", ">ID", ">KIB PER SECOND", ">KIB", NULL
    };
    struct json_object *processes = field_array(result, "processes");
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; processes && i < json_object_array_length(processes); i++) {
        struct json_object *p = json_object_array_get_idx(processes, i);

        table_add(table, field_text(p, "pid"));
        table_add(table, command_of(p));
        table_add(table, field_text(p, "to"));
        table_add(table, field_text(p, "to_domid"));
        table_add(table, field_number(p, "rate", 1, 1));
        table_add(table, field_text(p, "total"));
    }
    print_rates(table, result);
    print_reason(result);
}

static void find_processes(struct json_object *result,
                           struct selection_lists *lists)
{
    selection_add(lists, result, "processes");
}

static int ask_for_processes(const struct arguments *args)
{
    static const char *const ends[] = {
        "to", "to_domid", "to_group", "pid", "command", NULL
    };
    static const struct selection_key keys[] = {
        { "rate", "rate" },
        { "total", "total" },
        { "to", "to" },
        { "command", "command" },
        { NULL, NULL },
    };
    static const struct selection selection = {
        .what = "processes",
        .ends = ends,
        .keys = keys,
    };
    const struct question question = {
        .command = "processes",
        .domain = args->processes,
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print_processes,
        .selection = &selection,
        .lists = find_processes,
    };

    return question_ask(&question, args);
}

static int run_matrix(const struct arguments *args)
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
        .print = print_matrix,
        .selection = &selection,
        .lists = find_lists,
    };

    return args->processes ? ask_for_processes(args)
                           : question_ask(&question, args);
}

const struct command command_matrix = {
    .name = "matrix",
    .summary = "print which domains communicate, and how much",
    .help =
        "Print which domain (FROM) did what (EVENT) to which other domain (TO): per\n"
        "second recently, and in total; grants count pages. COST/UNIT is the pCPU time\n"
        "per page or notification of the guest's work, its back ends' time included. KEY\n"
        "is rate (the default), total, from or to. With --processes, print which\n"
        "processes of a guest cause I/O at which back ends, in KiB, as the guest reports\n"
        "it; KEY is rate, total, to or command.",
    .takes = QUESTION_SELECTS | ARGUMENT_PROCESSES,
    .run = run_matrix,
};
