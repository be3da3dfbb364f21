/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched status: shows the state of the daemon, and what it knows of each domain.
 */
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "ask-plan.h"
#include "question.h"
#include "command/text/table.h"

static void print_holder(const struct json_object *xen)
{
    if (!strcmp(field_text(xen, "lease_ms"), "0"))
        printf("log lease     held by no program\n");
    else
        printf("log lease     for %s ms at a time; ends in %s ms unless "
               "renewed\n", field_text(xen, "lease_ms"),
               field_text(xen, "lease_left_ms"));
    printf("PMCs          %s\n", strcmp(field_text(xen, "pmcs"), "0")
           ? field_text(xen, "pmcs") : "none usable on this machine");
}

/* A daemon without a budget does not send one. */
static void print_budget(const struct json_object *budget)
{
    if (!budget)
        return;
    printf("cost          %s %% of a pCPU (the daemon %s), budget %s %%",
           field_number(budget, "overhead_percent", 1, 2),
           field_number(budget, "own_percent", 1, 2),
           field_number(budget, "percent", 1, 2));
    if (!strcmp(field_yes_no(budget, "kept"), "no"))
        printf(", which thresholds cannot keep");
    printf("; %s thresholds raised\n", field_text(budget, "raised"));
}

/* The daemon sends the weight only while it has changed it. */
static void print_soft_weight(const struct json_object *weight)
{
    const char *percent = field_text(weight, "percent");

    if (!weight)
        return;
    printf("soft weight   Xen's credit2 heeds soft affinities: %s %% (was "
           "%s)", percent, field_text(weight, "original"));
    if (json_number(weight, "ours", -1) != json_number(weight, "percent", -1))
        printf(", which another program has set since xenschedd set %s %%",
               field_text(weight, "ours"));
    putchar('\n');
}

static void print_llcs(const struct json_object *topology)
{
    const char *by = field_text(topology, "llcs_by");

    printf("last caches   %s%s\n", field_text(topology, "llcs"),
           !strcmp(by, "socket") ? ": not known, taken as the socket's" :
           !strcmp(by, "operator") ? ", by the configuration" : "");
}

static void print_rules(const struct json_object *rules)
{
    size_t i;

    for (i = 0; rules && i < json_object_array_length(rules); i++) {
        struct json_object *rule = json_object_array_get_idx(rules, i);

        if (json_number(rule, "domains", 1) == 0)
            printf("rule          '%s' holds for no domain that is there now\n",
                   field_text(rule, "rule"));
    }
}

static void print_prices(const struct json_object *prices)
{
    size_t i;

    for (i = 0; prices && i < json_object_array_length(prices); i++)
        printf("price         %s\n",
               field_text(json_object_array_get_idx(prices, i), "text"));
}

static void print_daemon(const struct json_object *result)
{
    const struct json_object *xen = field_object(result, "xen");
    const struct json_object *topology = field_object(result, "topology");

    printf("daemon        mode %s, policy %s, up for %s s\n",
           field_text(result, "mode"), field_text(result, "policy"),
           field_number(result, "uptime_s", 1, 0));
    obstacles_print(result);
    printf("pCPUs         %s: %s cores, %s sockets, %s nodes\n",
           field_text(topology, "pcpus"), field_text(topology, "cores"),
           field_text(topology, "sockets"), field_text(topology, "nodes"));
    print_llcs(topology);
    printf("hypervisor    schedlog ABI %s, %s sites\n",
           field_text(result, "abi"), field_text(xen, "sites"));
    printf("events on     %s\n", field_words(xen, "events_enabled"));
    printf("events built  %s\n", field_words(xen, "events_built"));
    print_holder(xen);
    printf("rows          %s read, %s lost (%s bytes)\n",
           field_text(result, "rows"), field_text(result, "lost_rows"),
           field_text(result, "lost_bytes"));
    print_budget(field_object(result, "budget"));
    printf("memory        %s KiB\n",
           field_number(result, "memory_bytes", 1.0 / 1024, 0));
    printf("moves         %s, restored %s\n", field_text(result, "moves"),
           field_text(result, "restores"));
    print_soft_weight(field_object(result, "soft_weight"));
    print_rules(field_array(result, "rules"));
    print_prices(field_array(result, "prices"));
    if (field_object(result, "trial"))
        printf("trial         %s: %s\n",
               field_text(field_object(result, "trial"), "state"),
               field_text(field_object(result, "trial"), "verdict"));
}

static void add_source(struct table *table, const struct json_object *source)
{
    table_add(table, field_text(source, "name"));
    table_add(table, field_text(source, "state"));
    table_add(table, field_text(source, "rows"));
    table_add(table, field_text(source, "lost_rows"));
    table_add(table, field_text(source, "refused"));
    table_add(table, field_text(source, "reason"));
}

static void print_sources(const struct json_object *result)
{
    static const char *const headers[] = {
        "SOURCE", "STATE", ">ROWS", ">LOST", ">REFUSED", "REASON", NULL
    };
    struct json_object *sources = field_array(result, "sources");
    struct table *table;
    size_t i;

    if (!sources)
        return;
    table = table_new(headers);
    for (i = 0; i < json_object_array_length(sources); i++)
        add_source(table, json_object_array_get_idx(sources, i));
    printf("\n");
    table_print(table);
}

static void add_domain(struct table *table, const struct json_object *domain)
{
    table_add(table, field_text(domain, "name"));
    table_add(table, field_text(domain, "domid"));
    table_add(table, field_text(domain, "acct"));
    table_add(table, field_yes_no(domain, "driver_domain"));
    table_add(table, field_number(domain, "service_share", 100, 1));
    table_add(table, field_text(domain, "group"));
    table_add(table, field_text(domain, "affinity"));
    table_add(table, field_yes_no(domain, "moved"));
    table_add(table, field_ranges(domain, "pcpus"));
    /* The effect of its move, according to the log. */
    table_add(table, field_text(domain, "lever"));
    table_add(table, field_percent(domain, "at_place"));
    table_add(table, field_number(domain, "crossings_per_s", 1, 0));
    table_add(table, field_shares(domain, "ran"));
    table_add(table, field_shares(domain, "memory"));
    table_add(table, field_cost(domain));
}

static void print_status(const struct json_object *result)
{
    static const char *const headers[] = {
        "DOMAIN", ">ID", ">ACCT", "DRIVER", ">CPU%", "GROUP", "AFFINITY",
        "MOVED", "PCPUS", "LEVER", ">AT PLACE", ">CROSS/S", "RAN",
        "MEMORY", ">COST/UNIT", NULL
    };
    struct json_object *domains = field_array(result, "domains");
    struct table *table;
    size_t i;

    print_daemon(result);
    print_sources(result);
    if (!domains)
        return;
    table = table_new(headers);
    for (i = 0; i < json_object_array_length(domains); i++)
        add_domain(table, json_object_array_get_idx(domains, i));
    printf("\n");
    table_print(table);
}

static void find_lists(struct json_object *result,
                       struct selection_lists *lists)
{
    selection_add(lists, result, "domains");
}

static int run_status(const struct arguments *args)
{
    static const char *const ends[] = { "name", "domid", "group", NULL };
    static const struct selection_key keys[] = {
        { "cpu", "service_share" },
        { "crossings", "crossings_per_s" },
        { "delay", "wake_delay_us" },
        { "name", "name" },
        { NULL, NULL },
    };
    static const struct selection selection = {
        .what = "domains",
        .ends = ends,
        .keys = keys,
    };
    static const struct question question = {
        .command = "status",
        .seconds = QUESTION_LOOK_SECONDS,
        .print = print_status,
        .selection = &selection,
        .lists = find_lists,
    };

    return question_ask(&question, args);
}

const struct command command_status = {
    .name = "status",
    .summary = "print the state of xenschedd and of each domain",
    .help =
        "Print the state of xenschedd, and for each domain its accounting domain, what\n"
        "it uses, the origin of its affinity, where it ran recently and where its\n"
        "memory is. KEY is cpu (the default), crossings, delay (from wake-up to run) or\n"
        "name. xensched-status(8) explains the columns.",
    .takes = QUESTION_SELECTS,
    .run = run_status,
};
