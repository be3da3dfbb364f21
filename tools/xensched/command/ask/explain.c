/* SPDX-License-Identifier: GPL-2.0-only */
/* explain.c - xensched explain: why a domain is where it is, in words. */
#include <stdio.h>

#include "field.h"
#include "question.h"

/* The daemon says it in words. */
static void print(const struct json_object *result)
{
    struct json_object *lines = field_array(result, "lines");
    size_t i;

    for (i = 0; lines && i < json_object_array_length(lines); i++) {
        struct json_object *line = json_object_array_get_idx(lines, i);

        puts(json_object_is_type(line, json_type_string)
             ? field_name(json_object_get_string(line)) : FIELD_MISSING);
    }
}

static int run(const struct arguments *args)
{
    static const struct question question = {
        .command = "explain",
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print,
    };

    return question_ask(&question, args);
}

const struct command command_explain = {
    .name = "explain",
    .summary = "explain why a domain is where it is",
    .help =
        "Explain why a domain is where it is: what it uses, with which domains it\n"
        "communicates, the decision of xenschedd and its reasons, and the domain's\n"
        "entries in the journal, oldest first.",
    .takes = QUESTION_TAKES | ARGUMENT_DOMAIN,
    .run = run,
};
