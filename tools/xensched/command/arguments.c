/* SPDX-License-Identifier: GPL-2.0-only */
/* arguments.c - see arguments.h. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "client.h"
#include "command.h"

/* About 30 years: an end which is far enough away to be a mistake. */
#define MAX_SECONDS 1e9

#define MAX_INTERVAL_MS 60000

/* Of a terminal. */
#define WIDTH 80

/* Domids are below this, Xen's DOMID_FIRST_RESERVED. */
#define MAX_DOMID 0x7ff0U

struct option_text {
    unsigned int mask;
    char key;
    const char *name;
    const char *value; /* what the help calls it; NULL: takes none */
    const char *help;
};

static const struct option_text options[] = {
    { ARGUMENT_SOCKET, 's', "socket", "PATH",
      "xenschedd's control socket\n"
      "                     (default " CLIENT_DEFAULT_SOCKET ")" },
    { ARGUMENT_JSON, 'j', "json", NULL, "print JSON instead of text" },
    { ARGUMENT_SECONDS, 't', "seconds", "N", "end after N seconds" },
    { ARGUMENT_SIZE, 'S', "size", "BYTES",
      "end when so much is written; K, M, G mean\n"
      "                     powers of 1024" },
    { ARGUMENT_INTERVAL, 'i', "interval", "MS",
      "length of an interval" },
    { ARGUMENT_SOURCE, 'o', "source", "SOURCE",
      "whose rows: hypervisor (default), linux (this\n"
      "                     one), domain:DOMID; where rows need not be\n"
      "                     live: recording:FILE, synthetic:OPTIONS" },
    { ARGUMENT_HOST, 'H', "host", "HOST",
      "a file which says what the rows' numbers\n"
      "                     stand for, if they do not" },
    { ARGUMENT_TOP, 'n', "top", "N",
      "only the first N; 0: all (default, as text: 20)" },
    { ARGUMENT_SORT, 'k', "sort", "KEY", "in which order, see above" },
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

/* What is no option, in this order. */
static const struct {
    unsigned int mask;
    const char *text;
} operands[] = {
    { ARGUMENT_DOMAIN_ON_OFF, " DOMAIN on|off" },
    { ARGUMENT_DOMAIN, " DOMAIN" },
    { ARGUMENT_WHO, " [DOMAIN|GROUP]" },
    { ARGUMENT_FILE, " FILE" },
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

static void print_usage(const struct command *command)
{
    int begin = printf("usage: xensched %s", command->name), at = begin;
    size_t i;

    for (i = 0; i < NR_OPTIONS; i++) {
        char text[40];

        if (!(command->takes & options[i].mask))
            continue;
        snprintf(text, sizeof(text), " [--%s%s%s]", options[i].name,
                 options[i].value ? " " : "",
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
    size_t i;

    print_usage(command);
    printf("\n%s\n\n", command->help);
    for (i = 0; i < NR_OPTIONS; i++) {
        char name[32];

        if (!(command->takes & options[i].mask))
            continue;
        snprintf(name, sizeof(name), "--%s%s%s", options[i].name,
                 options[i].value ? " " : "",
                 options[i].value ? options[i].value : "");
        printf("  %-18s %s\n", name, options[i].help);
    }
    printf("  %-18s %s\n", "--help", "this text");
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

/* A number such as 10 or 0.5; no sign, no exponent, no "nan". */
static bool parse_seconds(const char *text, double *seconds)
{
    char *end;

    if (!*text || text[strspn(text, "0123456789.")])
        return false;
    *seconds = strtod(text, &end);

    return !*end && *seconds > 0 && *seconds <= MAX_SECONDS;
}

static bool parse_size(const char *text, uint64_t *size)
{
    static const char units[] = "KMG";
    const char *unit;
    uint64_t number;
    unsigned int shift = 0;
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno)
        return false;
    if (*end) {
        unit = strchr(units, *end);
        if (!unit || end[1])
            return false;
        shift = 10 * (unit - units + 1);
    }
    *size = number << shift;

    return number && *size >> shift == number;
}

static bool parse_interval(const char *text, uint64_t *ms)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *ms = strtoull(text, &end, 10);

    return !errno && !*end && *ms && *ms <= MAX_INTERVAL_MS;
}

static bool parse_number(const char *text, unsigned int *number)
{
    if (!*text || strlen(text) > 9 || text[strspn(text, "0123456789")])
        return false;
    *number = strtoul(text, NULL, 10);

    return true;
}

static bool set_option(char key, const char *value, struct arguments *args)
{
    switch (key) {
    case 's':
        args->socket = value;
        return *value;
    case 'j':
        args->json = true;
        return true;
    case 't':
        return parse_seconds(value, &args->seconds);
    case 'H':
        args->host = value;
        return *value;
    case 'i':
        return parse_interval(value, &args->interval_ms);
    case 'o':
        args->source = value;
        return *value;
    case 'n':
        args->top_given = true;
        return parse_number(value, &args->top);
    case 'k':
        args->sort = value;
        return *value;
    default:
        return parse_size(value, &args->size);
    }
}

/* getopt's table of the options which @command takes, and --help. */
static void long_options(const struct command *command, struct option *table)
{
    size_t i;

    for (i = 0; i < NR_OPTIONS; i++) {
        if (!(command->takes & options[i].mask))
            continue;
        *table++ = (struct option){
            .name = options[i].name,
            .has_arg = options[i].value ? required_argument : no_argument,
            .val = options[i].key,
        };
    }
    *table++ = (struct option){ .name = "help", .val = 'h' };
    memset(table, 0, sizeof(*table));
}

static bool parse_domid(const char *text, uint32_t *domid)
{
    unsigned long number;
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    number = strtoul(text, &end, 10);
    *domid = number;

    return !errno && !*end && number < MAX_DOMID;
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
    if (!parse_domid(argv[0], &args->domid)) {
        arguments_wrong(command, "%s: '%s' is not the number of a domain, "
                        "which 'xl list' prints as ID", command->name,
                        argv[0]);
        return false;
    }

    return true;
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

/* What is left when the options are gone. */
static bool take_operand(const struct command *command, int argc, char **argv,
                      struct arguments *args)
{
    unsigned int file = ARGUMENT_FILE | ARGUMENT_OPTIONAL_FILE;
    unsigned int domain = ARGUMENT_DOMAIN | ARGUMENT_WHO;
    const char **operand = command->takes & file ? &args->file :
                           command->takes & ARGUMENT_DOMAIN ? &args->domain :
                           &args->who;

    if (argc && (command->takes & (file | domain))) {
        *operand = *argv++;
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
    struct option table[NR_OPTIONS + 2];
    char program[32];
    int key, index;

    *args = (struct arguments){ .socket = CLIENT_DEFAULT_SOCKET };
    long_options(command, table);
    snprintf(program, sizeof(program), "xensched %s", command->name);
    argv[0] = program; /* what getopt's messages begin with */
    while ((key = getopt_long(argc, argv, "h", table, &index)) != -1) {
        if (key == 'h') {
            print_help(command);
            return ARGUMENTS_HELP;
        }
        if (key == '?') {
            try_help(command);
            return ARGUMENTS_WRONG;
        }
        if (!set_option(key, optarg, args)) {
            arguments_wrong(command, "%s: wrong value for --%s: '%s'",
                            command->name, table[index].name, optarg);
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
    if (command->takes & ARGUMENT_SETTINGS)
        argc = take_settings(argc, argv, args);
    if (!take_operand(command, argc, argv, args))
        return ARGUMENTS_WRONG;

    return ARGUMENTS_RUN;
}
