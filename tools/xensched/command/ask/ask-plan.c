/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched plan and xensched explain: show which domains xenschedd would move, to where, by which
 * policy and why; and for one domain the same in words, with its history.
 */
#include <stdio.h>
#include <string.h>

#include "command/text/table.h"
#include "field.h"
#include "ask-plan.h"
#include "question.h"

/* Prints what prevents moves; status, plan and act share this. */

void obstacles_print(const json_object *result)
{
    json_object *all = field_array(result, "obstacles");
    size_t i;

    for (i = 0; all && i < json_object_array_length(all); i++) {
        json_object *one = json_object_array_get_idx(all, i);

        if (json_object_is_type(one, json_type_string))
            printf("not moving    %s\n",
                   field_name(json_object_get_string(one)));
    }
}

/* Prints the numbers behind a reason, as "share 0.98, rate 1234.5". */
static void print_evidence(const struct json_object *evidence)
{
    const char *separator = "    ";

    json_object_object_foreach(evidence, name, value) {
        (void)value;
        printf("%s%s %s", separator, field_name(name),
               field_text(evidence, name));
        separator = ", ";
    }
    if (*separator == ',')
        putchar('\n');
}

/* An older daemon does not send "hard", because it sets soft affinities only. */
static const char *lever_of(const struct json_object *move)
{
    const char *soft = field_yes_no(move, "soft");

    if (!strcmp(field_yes_no(move, "hard"), "yes") || !strcmp(soft, "no"))
        return "hard";

    return !strcmp(soft, "yes") ? "soft" : FIELD_MISSING;
}

/* A set affinity does not prove where the domain runs. */
static void print_state(const struct json_object *move)
{
    const char *state = field_text(move, "state");
    const char *there = field_percent(move, "at_place");

    fputs(state, stdout);
    if (strcmp(state, "applied"))
        return;
    if (!strcmp(field_yes_no(move, "stopped"), "yes"))
        printf(": a reaction, a checkpoint or a sample has stopped it");
    else if (!strcmp(field_yes_no(move, "paused"), "yes"))
        printf(": it is paused");
    else if (strcmp(there, FIELD_MISSING))
        printf(": %s of its time there", there);
    else
        printf(": time there not known");
}

static void print_move(const struct json_object *move)
{
    const struct json_object *evidence = field_object(move, "evidence");
    const char *policy = field_text(move, "policy");

    printf("%s (domain %s): %s affinity to pCPUs %s, ",
           field_text(move, "domain"), field_text(move, "domid"),
           lever_of(move), field_ranges(move, "pcpus"));
    print_state(move);
    if (strcmp(policy, FIELD_MISSING))
        printf(", by %s", policy);
    printf("\n    %s\n", field_text(move, "reason"));
    if (evidence)
        print_evidence(evidence);
}

static void print_kept(struct json_object *kept)
{
    static const char *const headers[] = { "KEPT", "REASON", NULL };
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; i < json_object_array_length(kept); i++) {
        struct json_object *domain = json_object_array_get_idx(kept, i);

        table_add(table, field_text(domain, "domain"));
        table_add(table, field_text(domain, "reason"));
    }
    printf("\n");
    table_print(table);
}

static size_t number_of(const struct json_object *array)
{
    return array ? json_object_array_length(array) : 0;
}

void plan_print(const struct json_object *plan)
{
    struct json_object *moves = field_array(plan, "moves");
    struct json_object *kept = field_array(plan, "kept");
    size_t nr = number_of(moves), i;

    if (nr)
        printf("\n");
    for (i = 0; i < nr; i++)
        print_move(json_object_array_get_idx(moves, i));
    if (number_of(kept))
        print_kept(kept);
}

static void print_plan(const struct json_object *result)
{
    size_t nr = number_of(field_array(result, "moves"));

    printf("plan of %s, mode %s: %zu move%s\n", field_text(result, "time"),
           field_text(result, "mode"), nr, nr == 1 ? "" : "s");
    obstacles_print(result);
    plan_print(result);
}

static void find_lists(struct json_object *result,
                       struct selection_lists *lists)
{
    selection_add(lists, result, "moves");
    selection_add(lists, result, "kept");
}

static int run_plan(const struct arguments *args)
{
    static const char *const ends[] = { "domain", "domid", "group", NULL };
    static const struct selection_key keys[] = {
        { "cpu", "service_share" },
        { "name", "domain" },
        { NULL, NULL },
    };
    static const struct selection selection = {
        .what = "domains",
        .ends = ends,
        .keys = keys,
        .lists_in_order = true,
    };
    static const struct question question = {
        .command = "plan",
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print_plan,
        .selection = &selection,
        .lists = find_lists,
    };

    return question_ask(&question, args);
}

const struct command command_plan = {
    .name = "plan",
    .summary = "print which domains xenschedd moves, and why",
    .help =
        "Print the latest plan of xenschedd: the domains that it moves (in mode advise,\n"
        "would move), their target pCPUs, the share of its time that each is there, the\n"
        "policy, and the reason with its numbers; then the domains that stay, and why.\n"
        "Moves are first; KEY is cpu (the default) or name.",
    .takes = QUESTION_SELECTS,
    .run = run_plan,
};

/* Explain. */

/* The daemon sends sentences. */
static void print_explanation(const struct json_object *result)
{
    struct json_object *lines = field_array(result, "lines");
    size_t i;

    for (i = 0; lines && i < json_object_array_length(lines); i++) {
        struct json_object *line = json_object_array_get_idx(lines, i);

        puts(json_object_is_type(line, json_type_string)
             ? field_name(json_object_get_string(line)) : FIELD_MISSING);
    }
}

static int run_explain(const struct arguments *args)
{
    static const struct question question = {
        .command = "explain",
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print_explanation,
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
    .run = run_explain,
};
