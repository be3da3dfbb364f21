/* SPDX-License-Identifier: GPL-2.0-only */
/* Has the options of all subcommands in one table, and parses them. */
#include <getopt.h>
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
#include "command/runs/actions.h"

/* About 30 years: an end which is far enough away to be a mistake. */
#define MAX_SECONDS 1000000000ULL

#define MAX_INTERVAL_MS 60000

/* Of a terminal. */
#define WIDTH 80

static const struct option_row options[NR_OPTIONS] = {
    [OPTION_SOCKET] = { "socket", "PATH", .takes = "the name of a socket",
        .standard = CLIENT_DEFAULT_SOCKET,
        .help = "control socket of xenschedd" },
    [OPTION_JSON] = { "json", .help = "print JSON instead of text" },
    [OPTION_SECONDS] = { "seconds", "N", .takes = "a time such as 10, 0.5 or 20ms",
        .help = "end after this time: seconds, or 20ms, 5min" },
    [OPTION_SIZE] = { "size", "BYTES", .takes = "a size such as 64M",
        .help = "end when this much is written; K, M and G are powers of "
                "1024" },
    [OPTION_INTERVAL] = { "interval", "MS", .takes = "1 to 60000 ms, such as 20, 20ms or 2s",
        .help = "length of an interval", .standard = "20" },
    [OPTION_SOURCE] = { "source", "SOURCE", .takes = "a source",
        .standard = "hypervisor",
        .help = "source of rows: hypervisor, linux (this one) or domain:DOMID; for "
                "rows that need not be live, also recording:FILE and "
                "synthetic:OPTIONS" },
    [OPTION_HOST] = { "host", "HOST", .takes = "the name of a file",
        .help = "file that describes the host, for rows without a description" },
    [OPTION_TOP] = { "top", "N", .takes = "a number",
        .help = "only the first N; 0: all (default: 20; with --json, all)" },
    [OPTION_SORT] = { "sort", "KEY", .takes = "a key",
        .help = "sort by this key" },
    [OPTION_AT] = { "at", "TIME", .takes = "a time such as 10, 0.5 or 20ms",
        .help = "time since the recording's first row, in seconds or as 20ms" },
    [OPTION_THREAD] = { "thread", "THREAD", .takes = "a name or a PID",
        .help = "explain a run of this thread of the domain" },
    [OPTION_HTML] = { "html", "OUT", .takes = "the name of a file",
        .help = "write a page for a browser to this file" },
    [OPTION_PERFETTO] = { "perfetto", "OUT", .takes = "the name of a file",
        .help = "write a trace for the Perfetto UI to this file" },
    [OPTION_CTF] = { "ctf", "OUT", .takes = "the name of a folder",
        .help = "write a CTF trace, for babeltrace2 and Trace Compass, to this "
                "folder" },
    [OPTION_WITH] = { "with", "TRACE", .takes = "the name of a folder",
        .help = "also show a CTF trace of another tool" },
    [OPTION_BEGIN] = { "begin", "MARK", .takes = "a name or a code",
        .help = "mark that begins a region" },
    [OPTION_END] = { "end", "MARK", .takes = "a name or a code",
        .help = "mark that ends a region (default: as --begin)" },
    [OPTION_RING] = { "ring", "BYTES", .takes = "a size such as 64M",
        .help = "keep the latest rows in memory, up to this size; K, M and G are "
                "powers of 1024" },
    [OPTION_LAST] = { "last", "N", .takes = "a time such as 30 or 30s",
        .help = "with --ring, keep the rows of the last N seconds" },
    [OPTION_EVENT] = { "event", "EVENT,...", .takes = "names of events",
        .help = "record rows of these events only" },
    [OPTION_DOMAIN] = { "domain", "DOMAIN", .takes = "a domain",
        .help = "record rows about this domain only, by name or number" },
    [OPTION_TRIGGER] = { "trigger", "PATH", .takes = "the name of a socket",
        .standard = TRIGGER_DEFAULT_SOCKET,
        .help = "the recorder's socket" },
    [OPTION_CONFIG] = { "config", "FILE", .takes = "the name of a file",
        .help = "configuration of xenschedd", .standard = OPTIONS_CONFIG },
    [OPTION_DATABASE] = { "database", "FILE", .takes = "the name of a file",
        .help = "database of runs", .standard = RUNS_DATABASE },
    [OPTION_ALL] = { "all", .help = "keep output, recording and spans of time of each "
        "repetition, not only of the first" },
    [OPTION_CSV] = { "csv", .help = "print comma-separated values" },
    [OPTION_MARKDOWN] = { "markdown", .help = "print a table in Markdown" },
    [OPTION_TIMES] = { "times", "N", .takes = "0 to 1000000000",
        .standard = "1", .help = "end after N times; 0: never" },
    [OPTION_EVERY] = { "every", "LENGTH", .takes = "a length",
        .help = "least time from one match to the next: seconds, or 20ms "
                "(default: 1)" },
    [OPTION_DRY_RUN] = { "dry-run", .help = "only print what would be done" },
    [OPTION_DO] = { "do", "ACTION", .takes = "actions",
        .help = "perform this action and those that follow; or --do for each" },
    [OPTION_CHECKPOINT] = { "checkpoint", "DIR", .takes = "the name of a folder",
        .help = "write samples to this folder" },
    [OPTION_HOOK] = { "hook", "COMMAND", .takes = "a shell command",
        .help = "run this while the guest stands still, to take a snapshot of its "
                "disks" },
    [OPTION_SEED] = { "seed", "N", .takes = "a number", .standard = "1",
        .help = "seed of the random choice" },
    [OPTION_CAN_START] = { "can-start",
        .help = "print only why xenschedd cannot start here, if so" },
    [OPTION_PROCESSES] = { "processes", "GUEST", .takes = "a domain",
        .help = "print the processes of this guest and the back ends that they use" },
    [OPTION_METRICS] = { "metrics", "FILE", .takes = "the name of a file",
        .help = "file for node_exporter's textfile collector" },
    [OPTION_PROMETHEUS] = { "prometheus", "URL", .takes = "a URL",
        .help = "the Prometheus that scrapes the hosts, such as "
                "http://localhost:9090" },
    [OPTION_LEAST] = { "least", "RATE", .takes = "bytes per second such as 64K",
        .standard = "1M",
        .help = "pairs with at least this many bytes per second; K, M and G are "
                "powers of 1024" },
    [OPTION_BLOCK] = { "block", "LENGTH", .takes = "a time from 10s to 24h",
        .help = "length of a block, in seconds or as 3min (default: 3min); the "
                "first third is not measured" },
    [OPTION_PAIRS] = { "pairs", "N", .takes = "5 to 10000",
        .help = "number of pairs of blocks, placed and not placed (default: 30)" },
    [OPTION_SPAN] = { "seconds", "N", .takes = "a time such as 10 or 5min",
        .standard = "60",
        .help = "show the last N seconds; with --at, N seconds from then on" },
    [OPTION_CLOCK] = { "at", "HH:MM", .takes = "a time of day such as 14:02 or 14:02:30",
        .help = "show the time that begins then, within the latest hour" },
    [OPTION_SNAPSHOT] = { "snapshot",
        .help = "have a recorder with --ring write its rows to FILE, and continue" },
    [OPTION_SUMMARY] = { "summary",
        .help = "print the sources of the recording FILE, not its rows" },
    [OPTION_HELP] = { "help", .help = "print this text" },
};

/* What is no option, in this order. */
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

/* Prints @text where the line has room for it, else in the next one. */
static int print_part(const char *text, int begin, int at)
{
    if (at + strlen(text) >= WIDTH)
        at = printf("\n%*s", begin, "") - 1;

    return at + printf("%s", text);
}

/* The common table, with the rows that are the command's own in place of others. */
static struct option_table taken_by(const struct command *command)
{
    static struct option_row rows[NR_OPTIONS];
    const struct option_row *own;
    size_t i;

    memcpy(rows, options, sizeof(rows));
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
        /* Where it is needed it is among the operands. */
        if (i == OPTION_DO)
            continue;
        snprintf(text, sizeof(text), needed ? " --%s%s%s" : " [--%s%s%s]",
                 options[i].name, options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
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

/* A plain number is in seconds, and may not be 0. */
static bool parse_seconds(const char *text, double *seconds)
{
    uint64_t ns;

    if (!option_duration(text, OPTION_S, 1, MAX_SECONDS * OPTION_S, &ns))
        return false;
    *seconds = (double)ns / OPTION_S;

    return true;
}

/* A plain number is in milliseconds, of which it has to be a whole number. */
static bool parse_interval(const char *text, uint64_t *ms)
{
    uint64_t ns;

    if (!option_duration(text, OPTION_MS, OPTION_MS, MAX_INTERVAL_MS * OPTION_MS,
                         &ns))
        return false;
    *ms = ns / OPTION_MS;

    return ns % OPTION_MS == 0;
}

static bool parse_size(const char *text, uint64_t *bytes)
{
    return option_size(text, 1, 1, UINT64_MAX, bytes);
}

static bool parse_top(const char *text, struct arguments *args)
{
    uint64_t number;

    if (!option_number(text, 0, 999999999, &number))
        return false;
    args->top_given = true;
    args->top = number;

    return true;
}

static bool parse_block(const char *text, uint64_t *ms)
{
    uint64_t ns;

    if (!option_duration(text, OPTION_S, TRIAL_BLOCK_LEAST_NS,
                         TRIAL_BLOCK_MOST_NS, &ns))
        return false;
    *ms = ns / OPTION_MS;

    return true;
}

static bool is_clock(const char *value, const char **clock)
{
    unsigned int hours, minutes, seconds = 0;
    int length = 0;

    *clock = value;
    if (sscanf(value, "%2u:%2u%n:%2u%n", &hours, &minutes, &length, &seconds, &length) < 2)
        return false;

    return !value[length] && hours < 24 && minutes < 60 && seconds < 60;
}

static bool take_text(const char *value, const char **text)
{
    *text = value;

    return *value;
}

static bool take_action_to_do(const char *value, struct arguments *args)
{
    if (!*value || args->nr_do == ARGUMENTS_DO)
        return false;
    args->action_to_do[args->nr_do++] = value;

    return true;
}

static bool set_option(enum argument_option option, const char *value,
                       struct arguments *args)
{
    switch (option) {
    case OPTION_SOCKET: return take_text(value, &args->socket);
    case OPTION_JSON: return args->json = true;
    case OPTION_SECONDS: return parse_seconds(value, &args->seconds);
    case OPTION_SIZE: return parse_size(value, &args->size);
    case OPTION_INTERVAL:
        return parse_interval(value, &args->interval_ms);
    case OPTION_SOURCE: return take_text(value, &args->source);
    case OPTION_HOST: return take_text(value, &args->host);
    case OPTION_TOP: return parse_top(value, args);
    case OPTION_SORT: return take_text(value, &args->sort);
    case OPTION_AT:
        args->at_given = true;
        return option_duration(value, OPTION_S, 0, MAX_SECONDS * OPTION_S,
                               &args->at_ns);
    case OPTION_THREAD: return take_text(value, &args->thread);
    case OPTION_HTML: return take_text(value, &args->html);
    case OPTION_PERFETTO: return take_text(value, &args->perfetto);
    case OPTION_CTF: return take_text(value, &args->ctf);
    case OPTION_WITH: return take_text(value, &args->with);
    case OPTION_BEGIN: return take_text(value, &args->begin);
    case OPTION_END: return take_text(value, &args->end);
    case OPTION_RING: return parse_size(value, &args->ring);
    case OPTION_LAST: return parse_seconds(value, &args->last);
    case OPTION_EVENT: return take_text(value, &args->events);
    case OPTION_DOMAIN: return take_text(value, &args->only);
    case OPTION_TRIGGER: return take_text(value, &args->trigger);
    case OPTION_CONFIG: return take_text(value, &args->config);
    case OPTION_DATABASE: return take_text(value, &args->database);
    case OPTION_ALL: return args->all = true;
    case OPTION_CSV: return args->csv = true;
    case OPTION_MARKDOWN: return args->markdown = true;
    case OPTION_TIMES:
        args->times_given = true;
        return option_number(value, 0, 1000000000, &args->times);
    case OPTION_EVERY: return take_text(value, &args->every);
    case OPTION_DRY_RUN: return args->dry_run = true;
    case OPTION_BLOCK: return parse_block(value, &args->block_ms);
    case OPTION_PAIRS: return option_number(value, TRIAL_PAIRS_LEAST,
                                            TRIAL_PAIRS_MOST, &args->pairs);
    case OPTION_CHECKPOINT: return take_text(value, &args->checkpoint);
    case OPTION_HOOK: return take_text(value, &args->hook);
    case OPTION_SEED: return option_number(value, 0, 999999999, &args->seed);
    case OPTION_DO: return take_action_to_do(value, args);
    case OPTION_CAN_START: return args->can_start = true;
    case OPTION_SNAPSHOT: return args->snapshot = true;
    case OPTION_SUMMARY: return args->summary = true;
    case OPTION_PROCESSES: return take_text(value, &args->processes);
    case OPTION_METRICS: return take_text(value, &args->metrics);
    case OPTION_PROMETHEUS: return take_text(value, &args->prometheus);
    case OPTION_SPAN: return parse_seconds(value, &args->seconds);
    case OPTION_CLOCK: return is_clock(value, &args->clock);
    case OPTION_LEAST: return parse_size(value, &args->least);
    case OPTION_HELP:
    case NR_OPTIONS:
        break;
    }

    return false;
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

/* What follows --; and a FILE before that is before it now. */
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

/* What is left when the options are gone: a file comes before a domain. */
static bool take_operands(const struct command *command, int argc, char **argv,
                          struct arguments *args)
{
    if (argc && (command->takes & (ARGUMENT_FILE | ARGUMENT_OPTIONAL_FILE))) {
        args->file = *argv++;
        argc--;
    }
    if (argc && (command->takes & (ARGUMENT_DOMAIN | ARGUMENT_WHO))) {
        *(command->takes & ARGUMENT_DOMAIN ? &args->domain : &args->who) =
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
    argv[0] = program; /* what getopt's messages begin with */
    while ((option = option_next(&table, argc, argv)) != -1) {
        if (option == OPTION_HELP) {
            print_help(command);
            return ARGUMENTS_HELP;
        }
        if (option == '?') {
            try_help(command);
            return ARGUMENTS_WRONG;
        }
        if (!set_option(option, optarg, args)) {
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
