/* SPDX-License-Identifier: GPL-2.0-only */
/* waits.c - xensched waits: which domains wait for a pCPU, and who has it meanwhile. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "command/text/table.h"
#include "field.h"
#include "question.h"

#define DAY_S 86400

/* The rest is in the last line of a domain. */
#define MAX_CULPRITS 4

/* The latest time of day that is not in the future. */
static time_t time_of_clock(const char *clock)
{
    time_t now = time(NULL), at;
    int hours = 0, minutes = 0, seconds = 0;
    struct tm tm;

    sscanf(clock, "%2d:%2d:%2d", &hours, &minutes, &seconds);
    localtime_r(&now, &tm);
    tm.tm_hour = hours;
    tm.tm_min = minutes;
    tm.tm_sec = seconds;
    tm.tm_isdst = -1;
    at = mktime(&tm);

    return at > now ? at - DAY_S : at;
}

static void add_culprit(struct table *table, const char *name, const char *percent,
                        const char *rate)
{
    table_add(table, name);
    table_add(table, percent);
    table_add(table, rate);
}

static void begin_line(struct table *table, const struct json_object *domain, bool first)
{
    table_add(table, first ? field_text(domain, "name") : "");
    table_add(table, first ? field_text(domain, "domid") : "");
    table_add(table, first ? field_number(domain, "ready_percent", 1, 2) : "");
    table_add(table, first ? field_number(domain, "wake_p50_us", 1, 0) : "");
    table_add(table, first ? field_number(domain, "wake_p99_us", 1, 0) : "");
}

/* Xen's count is of a slightly other time, so a little more than the rest is nothing. */
static double going_on(const struct json_object *domain)
{
    double ready = json_number(domain, "ready_percent", 0);
    double more = json_number(domain, "counted_percent", 0) - ready;

    return more > 1 + ready / 4 ? more : 0;
}

/* Those of no line of their own. */
static void add_rest(struct table *table, const struct json_object *domain,
                     struct json_object *culprits, size_t first)
{
    size_t nr = json_object_array_length(culprits), i;
    double rest = 0;
    char text[32];

    for (i = first; i < nr; i++)
        rest += json_number(json_object_array_get_idx(culprits, i), "percent", 0);
    if (i > first) {
        begin_line(table, domain, false);
        snprintf(text, sizeof(text), "%.2f", rest);
        add_culprit(table, "(others)", text, "");
    }
    if (json_number(domain, "unknown_percent", 0) >= 0.005) {
        begin_line(table, domain, false);
        add_culprit(table, "(unknown)", field_number(domain, "unknown_percent", 1, 2), "");
    }
    rest = going_on(domain);
    if (!rest)
        return;
    snprintf(text, sizeof(text), "%.2f", rest);
    begin_line(table, domain, false);
    add_culprit(table, "(not over yet)", text, "");
}

static void add_domain(struct table *table, const struct json_object *domain)
{
    struct json_object *culprits = field_array(domain, "for");
    size_t nr = culprits ? json_object_array_length(culprits) : 0, i;

    /* It was only moved. */
    if (!nr && !json_number(domain, "ready_percent", 1) &&
        !json_number(domain, "counted_percent", 1))
        return;
    if (!nr) {
        begin_line(table, domain, true);
        add_culprit(table, FIELD_MISSING, "", "");
    }
    for (i = 0; i < nr && i < MAX_CULPRITS; i++) {
        struct json_object *c = json_object_array_get_idx(culprits, i);

        begin_line(table, domain, !i);
        add_culprit(table, field_text(c, "name"), field_number(c, "percent", 1, 2),
                    field_number(c, "waits_per_s", 1, 1));
    }
    if (culprits)
        add_rest(table, domain, culprits, i);
}

static void print(const struct json_object *result)
{
    static const char *const headers[] = {
        "DOMAIN", ">ID", ">READY %", ">P50 US", ">P99 US", "WAITS FOR", ">%", ">PER SECOND",
        NULL
    };
    struct json_object *domains = field_array(result, "domains");
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; domains && i < json_object_array_length(domains); i++)
        add_domain(table, json_object_array_get_idx(domains, i));
    table_print(table);
    if (json_number(result, "seconds", 0) < 1)
        printf("\nnothing is known of that time: the oldest is %s\n",
               field_text(result, "oldest"));
    else
        printf("\n%s s from %s on; %% of one pCPU; P50, P99: from wake-up to run\n",
               field_text(result, "seconds"), field_text(result, "from"));
}

static void find_lists(struct json_object *result, struct selection_lists *lists)
{
    selection_add(lists, result, "domains");
}

static int run(const struct arguments *args)
{
    static const char *const ends[] = { "name", "domid", "group", NULL };
    static const struct selection_key keys[] = {
        { "ready", "ready_percent" },
        { "p50", "wake_p50_us" },
        { "p99", "wake_p99_us" },
        { "name", "name" },
        { NULL, NULL },
    };
    static const struct selection selection = {
        .what = "domains",
        .ends = ends,
        .keys = keys,
    };
    struct question question = {
        .command = "waits",
        .seconds = QUESTION_LOOK_SECONDS,
        .more = json_object_new_object(),
        .print = print,
        .selection = &selection,
        .lists = find_lists,
    };
    int rc;

    if (args->seconds)
        json_add_int(question.more, "seconds", ceil(args->seconds));
    if (args->clock)
        json_add_int(question.more, "at", time_of_clock(args->clock));
    rc = question_ask(&question, args);
    json_object_put(question.more);

    return rc;
}

const struct command command_waits = {
    .name = "waits",
    .summary = "show which domains wait for a pCPU, and for whom",
    .help =
        "Print how much of a pCPU's time the vCPUs of each domain waited for a pCPU\n"
        "(READY %), how long they waited after a wake-up (P50, P99), and which domains\n"
        "had the pCPU meanwhile (WAITS FOR); (xen) means that the pCPU idled. KEY is\n"
        "ready (the default), p50, p99 or name.",
    .takes = QUESTION_SELECTS | ARGUMENT_WHEN,
    .run = run,
};
