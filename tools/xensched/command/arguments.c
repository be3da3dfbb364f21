/* SPDX-License-Identifier: GPL-2.0-only */
/* Contains the table of all subcommands' options, and parses them. */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option.h"
#include "daemon/options.h"
#include "trial/trial.h"
#include "arguments.h"
#include "command/ask/client.h"
#include "command.h"
#include "command/rows/trigger.h"
#include "command/runs/runs-actions.h"

/* About 30 years: a later end is probably a mistake. */
#define MAX_SECONDS 1000000000ULL

#define MAX_INTERVAL_MS 60000

/* Width of a terminal. */
#define WIDTH 80

/* Setters of options. */

static bool set_text(const char *value, void *member)
{
    *(const char **)member = value;

    return *value;
}

static bool set_flag(const char *value, void *member)
{
    (void)value;
    *(bool *)member = true;

    return true;
}

/* A plain number is in seconds, and may not be 0. */
static bool set_seconds(const char *value, void *member)
{
    uint64_t ns;

    if (!option_duration(value, OPTION_S, 1, MAX_SECONDS * OPTION_S, &ns))
        return false;
    *(double *)member = (double)ns / OPTION_S;

    return true;
}

/* A plain number is in milliseconds, of which it has to be a whole number. */
static bool set_interval(const char *value, void *member)
{
    uint64_t ns;

    if (!option_duration(value, OPTION_MS, OPTION_MS, MAX_INTERVAL_MS * OPTION_MS,
                         &ns))
        return false;
    *(uint64_t *)member = ns / OPTION_MS;

    return ns % OPTION_MS == 0;
}

static bool set_block(const char *value, void *member)
{
    uint64_t ns;

    if (!option_duration(value, OPTION_S, TRIAL_BLOCK_LEAST_NS,
                         TRIAL_BLOCK_MOST_NS, &ns))
        return false;
    *(uint64_t *)member = ns / OPTION_MS;

    return true;
}

static bool set_size(const char *value, void *member)
{
    return option_size(value, 1, 1, UINT64_MAX, member);
}

static bool set_pairs(const char *value, void *member)
{
    return option_number(value, TRIAL_PAIRS_LEAST, TRIAL_PAIRS_MOST, member);
}

static bool set_worst(const char *value, void *member)
{
    return option_number(value, 1, 10000, member);
}

static bool set_seed(const char *value, void *member)
{
    return option_number(value, 0, 999999999, member);
}

static bool set_clock(const char *value, void *member)
{
    unsigned int hours, minutes, seconds = 0;
    int length = 0;

    *(const char **)member = value;
    if (sscanf(value, "%2u:%2u%n:%2u%n", &hours, &minutes, &length, &seconds, &length) < 2)
        return false;

    return !value[length] && hours < 24 && minutes < 60 && seconds < 60;
}

static bool set_top(const char *value, void *all)
{
    struct arguments *args = all;
    uint64_t number;

    if (!option_number(value, 0, 999999999, &number))
        return false;
    args->top_given = true;
    args->top = number;

    return true;
}

static bool set_at(const char *value, void *all)
{
    struct arguments *args = all;

    args->at_given = true;

    return option_duration(value, OPTION_S, 0, MAX_SECONDS * OPTION_S, &args->at_ns);
}

static bool set_times(const char *value, void *all)
{
    struct arguments *args = all;

    args->times_given = true;

    return option_number(value, 0, 1000000000, &args->times);
}

static bool add_action_to_do(const char *value, void *all)
{
    struct arguments *args = all;

    if (!*value || args->nr_do == ARGUMENTS_DO)
        return false;
    args->action_to_do[args->nr_do++] = value;

    return true;
}

/* An option, and the function that sets a member of struct arguments. */
struct argument_row {
    struct option_row row;
    bool (*set)(const char *value, void *member);
    size_t member;
};

#define SET(function, name) function, offsetof(struct arguments, name)
/* For a setter of more than one member. */
#define SET_ALL(function) function, 0

static const struct argument_row options[NR_OPTIONS] = {
    [OPTION_SOCKET] = { { "socket", "PATH", .takes = "the name of a socket",
        .standard = CLIENT_DEFAULT_SOCKET,
        .help = "control socket of xenschedd" }, SET(set_text, socket) },
    [OPTION_JSON] = { { "json", .help = "print JSON instead of text" }, SET(set_flag, json) },
    [OPTION_SECONDS] = { { "seconds", "N", .takes = "a time such as 10, 0.5 or 20ms",
        .help = "end after this time: seconds, or 20ms, 5min" }, SET(set_seconds, seconds) },
    [OPTION_SIZE] = { { "size", "BYTES", .takes = "a size such as 64M",
        .help = "end when this much is written; K, M and G are powers of "
                "1024" }, SET(set_size, size) },
    [OPTION_INTERVAL] = { { "interval", "MS", .takes = "1 to 60000 ms, such as 20, 20ms or 2s",
        .help = "length of an interval", .standard = "20" }, SET(set_interval, interval_ms) },
    [OPTION_SOURCE] = { { "source", "SOURCE", .takes = "a source",
        .standard = "hypervisor",
        .help = "source of rows: hypervisor, linux (this one) or domain:DOMID; for "
                "rows that need not be live, also recording:FILE and "
                "synthetic:OPTIONS" }, SET(set_text, source) },
    [OPTION_HOST] = { { "host", "HOST", .takes = "the name of a file",
        .help = "file that describes the host, for rows without a description" },
        SET(set_text, host) },
    [OPTION_TOP] = { { "top", "N", .takes = "a number",
        .help = "only the first N; 0: all (default: 20; with --json, all)" },
        SET_ALL(set_top) },
    [OPTION_SORT] = { { "sort", "KEY", .takes = "a key",
        .help = "sort by this key" }, SET(set_text, sort) },
    [OPTION_AT] = { { "at", "TIME", .takes = "a time such as 10, 0.5 or 20ms",
        .help = "time since the recording's first row, in seconds or as 20ms" },
        SET_ALL(set_at) },
    [OPTION_THREAD] = { { "thread", "THREAD", .takes = "a name or a PID",
        .help = "explain a run of this thread of the domain" }, SET(set_text, thread) },
    [OPTION_HTML] = { { "html", "OUT", .takes = "the name of a file",
        .help = "write a page for a browser to this file" }, SET(set_text, html) },
    [OPTION_PERFETTO] = { { "perfetto", "OUT", .takes = "the name of a file",
        .help = "write a trace for the Perfetto UI to this file" }, SET(set_text, perfetto) },
    [OPTION_CTF] = { { "ctf", "OUT", .takes = "the name of a folder",
        .help = "write a CTF trace, for babeltrace2 and Trace Compass, to this "
                "folder" }, SET(set_text, ctf) },
    [OPTION_WITH] = { { "with", "TRACE", .takes = "the name of a folder",
        .help = "also show a CTF trace of another tool" }, SET(set_text, with) },
    [OPTION_BEGIN] = { { "begin", "MARK", .takes = "a name or a code",
        .help = "mark that begins a region" }, SET(set_text, begin) },
    [OPTION_END] = { { "end", "MARK", .takes = "a name or a code",
        .help = "mark that ends a region (default: as --begin)" }, SET(set_text, end) },
    [OPTION_RING] = { { "ring", "BYTES", .takes = "a size such as 64M",
        .help = "keep the latest rows in memory, up to this size; K, M and G are "
                "powers of 1024" }, SET(set_size, ring) },
    [OPTION_LAST] = { { "last", "N", .takes = "a time such as 30 or 30s",
        .help = "with --ring, keep the rows of the last N seconds" }, SET(set_seconds, last) },
    [OPTION_EVENT] = { { "event", "EVENT,...", .takes = "names of events",
        .help = "record rows of these events only" }, SET(set_text, events) },
    [OPTION_DOMAIN] = { { "domain", "DOMAIN", .takes = "a domain",
        .help = "record rows about this domain only, by name or number" },
        SET(set_text, only) },
    [OPTION_TRIGGER] = { { "trigger", "PATH", .takes = "the name of a socket",
        .standard = TRIGGER_DEFAULT_SOCKET,
        .help = "the recorder's socket" }, SET(set_text, trigger) },
    [OPTION_CONFIG] = { { "config", "FILE", .takes = "the name of a file",
        .help = "configuration of xenschedd", .standard = OPTIONS_CONFIG },
        SET(set_text, config) },
    [OPTION_DATABASE] = { { "database", "FILE", .takes = "the name of a file",
        .help = "database of runs", .standard = RUNS_DATABASE }, SET(set_text, database) },
    [OPTION_ALL] = { { "all", .help = "keep output, recording and spans of time of each "
        "repetition, not only of the first" }, SET(set_flag, all) },
    [OPTION_CSV] = { { "csv", .help = "print comma-separated values" }, SET(set_flag, csv) },
    [OPTION_MARKDOWN] = { { "markdown", .help = "print a table in Markdown" },
        SET(set_flag, markdown) },
    [OPTION_TIMES] = { { "times", "N", .takes = "0 to 1000000000",
        .standard = "1", .help = "end after N times; 0: never" }, SET_ALL(set_times) },
    [OPTION_EVERY] = { { "every", "LENGTH", .takes = "a length",
        .help = "least time from one match to the next: seconds, or 20ms "
                "(default: 1)" }, SET(set_text, every) },
    [OPTION_DRY_RUN] = { { "dry-run", .help = "only print what would be done" },
        SET(set_flag, dry_run) },
    [OPTION_DO] = { { "do", "ACTION", .takes = "actions",
        .help = "perform this action and those that follow; or --do for each" },
        SET_ALL(add_action_to_do) },
    [OPTION_CHECKPOINT] = { { "checkpoint", "DIR", .takes = "the name of a folder",
        .help = "write samples to this folder" }, SET(set_text, checkpoint) },
    [OPTION_HOOK] = { { "hook", "COMMAND", .takes = "a shell command",
        .help = "run this while the guest stands still, to take a snapshot of its "
                "disks" }, SET(set_text, hook) },
    [OPTION_SEED] = { { "seed", "N", .takes = "a number", .standard = "1",
        .help = "seed of the random choice" }, SET(set_seed, seed) },
    [OPTION_CAN_START] = { { "can-start",
        .help = "print only why xenschedd cannot start here, if so" },
        SET(set_flag, can_start) },
    [OPTION_PROCESSES] = { { "processes", "GUEST", .takes = "a domain",
        .help = "print the processes of this guest and the back ends that they use" },
        SET(set_text, processes) },
    [OPTION_METRICS] = { { "metrics", "FILE", .takes = "the name of a file",
        .help = "file for node_exporter's textfile collector" }, SET(set_text, metrics) },
    [OPTION_PROMETHEUS] = { { "prometheus", "URL", .takes = "a URL",
        .help = "the Prometheus that scrapes the hosts, such as "
                "http://localhost:9090" }, SET(set_text, prometheus) },
    [OPTION_LEAST] = { { "least", "RATE", .takes = "bytes per second such as 64K",
        .standard = "1M",
        .help = "pairs with at least this many bytes per second; K, M and G are "
                "powers of 1024" }, SET(set_size, least) },
    [OPTION_BLOCK] = { { "block", "LENGTH", .takes = "a time from 10s to 24h",
        .help = "length of a block, in seconds or as 3min (default: 3min); the "
                "first third is not measured" }, SET(set_block, block_ms) },
    [OPTION_PAIRS] = { { "pairs", "N", .takes = "5 to 10000",
        .help = "number of pairs of blocks, placed and not placed (default: 30)" },
        SET(set_pairs, pairs) },
    [OPTION_WORST] = { { "worst", "N", .takes = "1 to 10000",
        .help = "explain the N most delayed runs of DOMAIN instead" },
        SET(set_worst, worst) },
    [OPTION_SPAN] = { { "seconds", "N", .takes = "a time such as 10 or 5min",
        .standard = "60",
        .help = "show the last N seconds; with --at, N seconds from then on" },
        SET(set_seconds, seconds) },
    [OPTION_CLOCK] = { { "at", "HH:MM", .takes = "a time of day such as 14:02 or 14:02:30",
        .help = "show the time that begins then, within the latest hour" },
        SET(set_clock, clock) },
    [OPTION_SNAPSHOT] = { { "snapshot",
        .help = "have a recorder with --ring write its rows to FILE, and continue" },
        SET(set_flag, snapshot) },
    [OPTION_SUMMARY] = { { "summary",
        .help = "print the sources of the recording FILE, not its rows" },
        SET(set_flag, summary) },
    [OPTION_HELP] = { { "help", .help = "print this text"} },
};

/* Operands, in this order. */
static const struct {
    uint64_t mask;
    const char *text;
} operands[] = {
    { ARGUMENT_ACTION, " ACTION [ARGUMENT...]" },
    { ARGUMENT_SAMPLE, " GUEST|choose DIR|estimate DIR" },
    { ARGUMENT_CONDITION, " CONDITION --do ACTION..." },
    { ARGUMENT_DOMAIN_ON_OFF, " DOMAIN on|off" },
    { ARGUMENT_FILE, " FILE" },
    { ARGUMENT_DOMAIN, " DOMAIN" },
    { ARGUMENT_WHO, " [DOMAIN|GROUP]" },
    { ARGUMENT_OPTIONAL_FILE, " [FILE]" },
    { ARGUMENT_SETTINGS, " [-- SETTINGS]" },
};

#define NR_OPERANDS (sizeof(operands) / sizeof(operands[0]))

/* Prints @text in this line if it fits, otherwise in the next one. */
static int print_part(const char *text, int begin, int at)
{
    if (at + strlen(text) >= WIDTH)
        at = printf("\n%*s", begin, "") - 1;

    return at + printf("%s", text);
}

/* Returns the common table, in which the command's own rows replace others. */
static struct option_table taken_by(const struct command *command)
{
    static struct option_row rows[NR_OPTIONS];
    const struct option_row *own;
    size_t i;

    for (i = 0; i < NR_OPTIONS; i++)
        rows[i] = options[i].row;
    for (own = command->own; own && own->name; own++)
        for (i = 0; i < NR_OPTIONS; i++)
            if (!strcmp(rows[i].name, own->name))
                rows[i] = *own;

    return (struct option_table){
        .row = rows, .nr = NR_OPTIONS,
        .takes = command->takes | 1ULL << OPTION_HELP,
    };
}

static void print_usage(const struct command *command)
{
    int begin = printf("usage: xensched %s", command->name), at = begin;
    size_t i;

    for (i = 0; i < OPTION_HELP; i++) {
        bool needed = command->needs & 1ULL << i;
        char text[40];

        if (!(command->takes & 1ULL << i))
            continue;
        /* A command that needs it lists it among the operands. */
        if (i == OPTION_DO)
            continue;
        snprintf(text, sizeof(text), needed ? " --%s%s%s" : " [--%s%s%s]",
                 options[i].row.name, options[i].row.value ? " " : "",
                 options[i].row.value ? options[i].row.value : "");
        at = print_part(text, begin, at);
    }
    for (i = 0; i < NR_OPERANDS; i++)
        if (command->takes & operands[i].mask)
            at = print_part(operands[i].text, begin, at);
    printf("\n");
}

static void print_help(const struct command *command)
{
    struct option_table table = taken_by(command);

    print_usage(command);
    printf("\n%s\n\n", command->help);
    option_print_all(&table);
}

static int try_help(const struct command *command)
{
    fprintf(stderr, "Try 'xensched %s --help'.\n", command->name);

    return EXIT_WRONG_USE;
}

int arguments_wrong(const struct command *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vcomplain(format, args);
    va_end(args);

    return try_help(command);
}

static bool take_domain(const struct command *command, char **argv,
                        struct arguments *args)
{
    const char *what = argv[0] ? argv[1] : NULL;

    if (!what) {
        arguments_wrong(command, "%s: no DOMAIN and on or off given",
                        command->name);
        return false;
    }
    args->on = !strcmp(what, "on");
    if (!args->on && strcmp(what, "off")) {
        arguments_wrong(command, "%s: on or off, not '%s'", command->name,
                        what);
        return false;
    }
    args->domain = argv[0];
    if (!*args->domain)
        arguments_wrong(command, "%s: no DOMAIN given, which is the name or "
                        "the ID that 'xl list' prints", command->name);

    return *args->domain;
}

/* Takes the arguments after --; a FILE before it comes before it now. */
static int take_settings(int argc, char **argv, struct arguments *args)
{
    int nr = argc && strncmp(*argv, "--", 2);

    /* argv[-1] is an option, -- or the command. */
    args->settings = argv + nr - 1;
    args->nr_settings = argc - nr + 1;

    return nr;
}

static bool take_action(const struct command *command, int argc, char **argv,
                        struct arguments *args)
{
    if (!argc) {
        arguments_wrong(command, "%s: no %s given", command->name,
                        command->takes & ARGUMENT_ACTION ? "ACTION"
                        : command->takes & ARGUMENT_SAMPLE ? "GUEST"
                                                           : "CONDITION");
        return false;
    }
    args->action = argv[0];
    args->nr_words = argc - 1;
    args->word = argv + 1;

    return true;
}

/* Takes what is left without options: a file comes before a domain. */
static bool take_operands(const struct command *command, int argc, char **argv,
                          struct arguments *args)
{
    if (argc && (command->takes & (ARGUMENT_FILE | ARGUMENT_OPTIONAL_FILE))) {
        args->file = *argv++;
        argc--;
    }
    if (argc && (command->takes & (ARGUMENT_DOMAIN | ARGUMENT_WHO))) {
        *(command->takes & ARGUMENT_DOMAIN ? &args->domain : &args->domain_or_group) =
            *argv++;
        argc--;
    }
    if (argc) {
        arguments_wrong(command, "%s: too many arguments: '%s'",
                        command->name, *argv);
        return false;
    }
    if (!args->file && (command->takes & ARGUMENT_FILE)) {
        arguments_wrong(command, "%s: no FILE given", command->name);
        return false;
    }
    if ((!args->domain || !*args->domain) &&
        (command->takes & ARGUMENT_DOMAIN)) {
        arguments_wrong(command, "%s: no DOMAIN given, which is the name or "
                        "the ID that 'xl list' prints", command->name);
        return false;
    }

    return true;
}

enum arguments_result arguments_parse(const struct command *command, int argc,
                                      char **argv, struct arguments *args)
{
    struct option_table table = taken_by(command);
    char program[32];
    int option;

    *args = (struct arguments){ .socket = CLIENT_DEFAULT_SOCKET, .seed = 1 };
    snprintf(program, sizeof(program), "xensched %s", command->name);
    argv[0] = program; /* the begin of getopt's messages */
    while ((option = option_next(&table, argc, argv)) != -1) {
        if (option == OPTION_HELP) {
            print_help(command);
            return ARGUMENTS_HELP;
        }
        if (option == '?') {
            try_help(command);
            return ARGUMENTS_WRONG;
        }
        if (!options[option].set(optarg, (char *)args + options[option].member)) {
            arguments_wrong(command, "%s: --%s does not take '%s' but %s",
                            command->name, table.row[option].name, optarg,
                            table.row[option].takes);
            return ARGUMENTS_WRONG;
        }
    }
    if (command->takes & ARGUMENT_DOMAIN_ON_OFF) {
        if (!take_domain(command, argv + optind, args))
            return ARGUMENTS_WRONG;
        optind += 2;
    }
    argc -= optind;
    argv += optind;
    if (command->takes & (ARGUMENT_ACTION | ARGUMENT_CONDITION |
                          ARGUMENT_SAMPLE))
        return take_action(command, argc, argv, args) ? ARGUMENTS_RUN
                                                      : ARGUMENTS_WRONG;
    if (command->takes & ARGUMENT_SETTINGS)
        argc = take_settings(argc, argv, args);
    if (!take_operands(command, argc, argv, args))
        return ARGUMENTS_WRONG;

    return ARGUMENTS_RUN;
}
