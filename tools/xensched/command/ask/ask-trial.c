/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts, shows and stops a trial of placement on this host; the daemon performs it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "command/text/table.h"
#include "field.h"
#include "base/json.h"
#include "question.h"

/* Formats "-6.2 % (-7.5 to -4.9 %)"; without an interval the mean alone. */
static const char *interval_text(const struct json_object *of, const char *key,
                                 char text[64])
{
    const struct json_object *result = field_object(of, key);
    double change = json_number(result, "change", 1e9);
    double low = json_number(result, "low", 1e9);
    double high = json_number(result, "high", 1e9);

    if (change == 1e9)
        return FIELD_MISSING;
    if (low == 1e9 || high == 1e9)
        snprintf(text, 64, "%+.1f %%", 100 * change);
    else
        snprintf(text, 64, "%+.1f %% (%+.1f to %+.1f %%)", 100 * change,
                 100 * low, 100 * high);

    return text;
}

/* Formats "97 % (3 %)": in placed blocks, and in the other ones. */
static const char *at_target_text(const struct json_object *of, char text[64])
{
    const struct json_object *shares = field_object(of, "at_target");
    double placed = json_number(shares, "placed", -1);
    double without = json_number(shares, "not_placed", -1);

    if (placed < 0)
        return FIELD_MISSING;
    snprintf(text, 64, "%.0f %% (%.0f %%)", 100 * placed, 100 * without);

    return text;
}

static const char *note_of(const struct json_object *guest)
{
    if (!strcmp(field_yes_no(guest, "left_alone"), "yes"))
        return "left alone";

    return !strcmp(field_yes_no(guest, "moved"), "yes") ? "" : "never moved";
}

static void print_guests(struct json_object *guests)
{
    static const char *const headers[] = { "GUEST", "UNIT", "PAIRS", "COST PER UNIT",
                                           "WAITING", "AT TARGET (NOT PLACED)", "", NULL };
    struct table *table;
    size_t i;

    if (!guests || !json_object_array_length(guests))
        return;
    table = table_new(headers);
    for (i = 0; i < json_object_array_length(guests); i++) {
        struct json_object *guest = json_object_array_get_idx(guests, i);
        char cost[64], waiting[64], at_target[64];

        table_add(table, field_text(guest, "name"));
        table_add(table, field_text(guest, "unit"));
        table_add(table, field_text(field_object(guest, "waiting"), "pairs"));
        table_add(table, interval_text(guest, "cost", cost));
        table_add(table, interval_text(guest, "waiting", waiting));
        table_add(table, at_target_text(guest, at_target));
        table_add(table, note_of(guest));
    }
    putchar('\n');
    table_print(table);
}

static void print_trial(const struct json_object *result)
{
    const char *state = field_text(result, "state");

    printf("%s\n", field_text(result, "verdict"));
    if (!strcmp(state, "none"))
        return;
    printf("%s %s: %s of %s pairs of %s s blocks done, %s discarded",
           !strcmp(field_yes_no(result, "dry_run"), "yes") ? "dry run" : "trial",
           state, field_text(result, "pairs_done"), field_text(result, "pairs"),
           field_number(result, "block_s", 1, 0),
           field_text(result, "pairs_discarded"));
    if (!strcmp(state, "running"))
        printf("; this block: %s, %s s left", field_text(result, "block"),
               field_number(result, "block_left_s", 1, 0));
    if (!strcmp(state, "paused"))
        printf("; it continues in mode act ('xensched act')");
    putchar('\n');
    print_guests(field_array(result, "guests"));
}

static struct json_object *request_of(const struct arguments *args)
{
    struct json_object *request = json_object_new_object();
    struct json_object *guests = json_object_new_array();
    int i;

    json_add_text(request, "action", args->action);
    for (i = 0; i < args->nr_words; i++)
        json_object_array_add(guests, json_object_new_string(args->word[i]));
    json_object_object_add(request, "guests", guests);
    if (args->block_ms)
        json_add_int(request, "block_ms", args->block_ms);
    if (args->pairs)
        json_add_int(request, "pairs", args->pairs);
    json_add_int(request, "seed", args->seed);
    json_add_bool(request, "dry_run", args->dry_run);

    return request;
}

static int run_trial(const struct arguments *args)
{
    struct question question = {
        .command = "trial",
        .seconds = QUESTION_CHANGE_SECONDS,
        .print = print_trial,
    };
    bool start = !strcmp(args->action, "start");
    int code;

    if (!start && strcmp(args->action, "show") && strcmp(args->action, "stop"))
        return arguments_wrong(&command_trial, "trial: '%s' is none of start, show "
                               "and stop", args->action);
    if (!start && (args->nr_words || args->block_ms || args->pairs ||
                   args->dry_run))
        return arguments_wrong(&command_trial, "trial: guests, --block, --pairs and "
                               "--dry-run belong to start");
    question.more = request_of(args);
    code = question_ask(&question, args);
    json_object_put(question.more);

    return code;
}

static const struct option_row own[] = {
    { "seed", "N", .takes = "a number", .standard = "1",
        .help = "another number orders the blocks in another way" },
    { "dry-run", .help = "leave all guests as they are; measure how much blocks differ "
        "all the same, and how long a trial takes" },
    { 0 }
};

const struct command command_trial = {
    .name = "trial",
    .summary = "measure on this host whether placement helps",
    .help =
        "Have xenschedd alternate, in random order, between blocks of time in which\n"
        "guests are placed and blocks in which they are not, and compare what their\n"
        "work cost.\n"
        "\n"
        "  start [GUEST...]  begin; without GUEST, with all guests\n"
        "  show              print the result so far, or of the latest trial\n"
        "  stop              end it; guests stay placed\n"
        "\n"
        "It needs mode act. A guest to which placement does harm is left alone from\n"
        "then on; if it does harm to all together, the trial ends, affinities are\n"
        "restored, and the mode is advise.",
    .takes = QUESTION_TAKES | ARGUMENT_TRIAL | ARGUMENT_ACTION,
    .own = own,
    .run = run_trial,
};
