/* SPDX-License-Identifier: GPL-2.0-only */
/* xensched waits: shows which domains wait for a pCPU, and which domains have it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/option.h"
#include "command/text/table.h"
#include "field.h"
#include "question.h"

#define DAY_S 86400

/* The most culprits with a line; the last line of a domain has the rest. */
#define MAX_CULPRITS 4

/* A smaller value would be printed as 0.00. */
#define LEAST_PERCENT 0.005

/* Returns the latest time with this time of day that is not in the future. */
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

static void add_culprit(struct table *table, const char *name, const char *cause,
                        const char *percent, const char *rate)
{
    table_add(table, name);
    table_add(table, cause);
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

/* Xen's count covers a slightly different time, so a small excess is ignored. */
static double going_on(const struct json_object *domain)
{
    double ready = json_number(domain, "ready_percent", 0);
    double more = json_number(domain, "counted_percent", 0) - ready;

    return more > 1 + ready / 4 ? more : 0;
}

/* A smaller value is a moment in which Xen stopped it. */
static bool is_offline(const struct json_object *domain)
{
    return json_number(domain, "offline_percent", 0) >= 1;
}

/* Adds the sum of those without a line of their own. */
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
        add_culprit(table, "(others)", "", text, "");
    }
    if (json_number(domain, "unknown_percent", 0) >= LEAST_PERCENT) {
        begin_line(table, domain, false);
        add_culprit(table, "(unknown)", "", field_number(domain, "unknown_percent", 1, 2), "");
    }
    rest = going_on(domain);
    if (rest) {
        snprintf(text, sizeof(text), "%.2f", rest);
        begin_line(table, domain, false);
        add_culprit(table, "(not over yet)", "", text, "");
    }
    if (is_offline(domain)) {
        begin_line(table, domain, false);
        add_culprit(table, "(offline)", "", field_number(domain, "offline_percent", 1, 2), "");
    }
}

/* Adds a line for each cause that is large enough, and at least one line. */
static void add_causes(struct table *table, const struct json_object *domain,
                       const struct json_object *culprit, bool first)
{
    struct json_object *causes = field_array(culprit, "causes");
    size_t nr = causes ? json_object_array_length(causes) : 0, i;

    if (!nr) {
        begin_line(table, domain, first);
        add_culprit(table, field_text(culprit, "name"), FIELD_MISSING,
                    field_number(culprit, "percent", 1, 2),
                    field_number(culprit, "waits_per_s", 1, 1));
    }
    for (i = 0; i < nr; i++) {
        const struct json_object *c = json_object_array_get_idx(causes, i);

        if (i && json_number(c, "percent", 0) < LEAST_PERCENT)
            break;
        begin_line(table, domain, first && !i);
        add_culprit(table, field_text(culprit, "name"), field_text(c, "cause"),
                    field_number(c, "percent", 1, 2), field_number(c, "waits_per_s", 1, 1));
    }
}

static bool did_not_wait(const struct json_object *domain)
{
    struct json_object *culprits = field_array(domain, "for");

    return (!culprits || !json_object_array_length(culprits)) &&
           !json_number(domain, "ready_percent", 1) &&
           !json_number(domain, "counted_percent", 1) && !is_offline(domain);
}

static void add_domain(struct table *table, const struct json_object *domain)
{
    struct json_object *culprits = field_array(domain, "for");
    size_t nr = culprits ? json_object_array_length(culprits) : 0, i;

    if (did_not_wait(domain))
        return;
    if (!nr) {
        begin_line(table, domain, true);
        add_culprit(table, FIELD_MISSING, "", "", "");
    }
    for (i = 0; i < nr && i < MAX_CULPRITS; i++)
        add_causes(table, domain, json_object_array_get_idx(culprits, i), !i);
    if (culprits)
        add_rest(table, domain, culprits, i);
}

static void print_waits(const struct json_object *result)
{
    static const char *const headers[] = {
        "DOMAIN", ">ID", ">READY %", ">P50 US", ">P99 US", "WAITS FOR", "CAUSE", ">%",
        ">PER SECOND", NULL
    };
    struct json_object *domains = field_array(result, "domains");
    size_t nr = domains ? json_object_array_length(domains) : 0, i;
    struct table *table = table_new(headers);

    for (i = 0; i < nr; i++)
        add_domain(table, json_object_array_get_idx(domains, i));
    table_print(table);
    if (nr == 1 && did_not_wait(json_object_array_get_idx(domains, 0)))
        printf("%s did not wait for a pCPU\n",
               field_text(json_object_array_get_idx(domains, 0), "name"));
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

static int run_waits(const struct arguments *args)
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
        .domain = args->begin ? args->domain_or_group : NULL,
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print_waits,
        .selection = &selection,
        .lists = find_lists,
    };
    uint64_t code = 0;
    int rc;

    if (args->begin && (!args->domain_or_group ||
                        !option_number(args->begin, 0, UINT32_MAX, &code)))
        return arguments_wrong(&command_waits, "waits: --begin takes the code of a mark "
                               "(0 to 4294967295), and needs a DOMAIN");
    question.more = json_object_new_object();
    if (args->seconds)
        json_add_int(question.more, "seconds", ceil(args->seconds));
    if (args->clock)
        json_add_int(question.more, "at", time_of_clock(args->clock));
    if (args->begin)
        json_add_int(question.more, "since_mark", code);
    rc = question_ask(&question, args);
    json_object_put(question.more);

    return rc;
}

static const struct option_row own[] = {
    { "begin", "CODE", .takes = "the code of a mark",
        .help = "show the time since DOMAIN's latest mark with this code" },
    { 0 }
};

const struct command command_waits = {
    .name = "waits",
    .summary = "show which domains wait for a pCPU, and which have it",
    .help =
        "Print how much of a pCPU's time the vCPUs of each domain waited for a pCPU\n"
        "(READY %), how long they waited after a wake-up (P50, P99), which domains had\n"
        "the pCPU meanwhile (WAITS FOR); (xen) means that the pCPU idled; and how the\n"
        "vCPUs came to wait (CAUSE). KEY is ready (the default), p50, p99 or name.",
    .takes = QUESTION_SELECTS | ARGUMENT_WHEN | 1ULL << OPTION_BEGIN,
    .own = own,
    .run = run_waits,
};
