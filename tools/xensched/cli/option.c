/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses options, sizes and durations, and prints --help. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

#define MAX_ROWS 64

#define HELP_INDENT 24
#define HELP_WIDTH  78

static bool is_taken(const struct option_table *table, unsigned int i)
{
    return table->takes & UINT64_C(1) << i;
}

static int index_of(const struct option_table *table, const char *name)
{
    unsigned int i;

    for (i = 0; i < table->nr; i++)
        if (!strcmp(table->row[i].name, name))
            return i;

    return '?';
}

int option_next(const struct option_table *table, int argc, char **argv)
{
    struct option options[MAX_ROWS + 1] = { 0 }, *o = options;
    unsigned int i;
    int found;

    for (i = 0; i < table->nr; i++)
        if (is_taken(table, i))
            *o++ = (struct option){
                .name = table->row[i].name,
                .has_arg = table->row[i].value ? required_argument
                                               : no_argument,
                /* Values above '?' and 'h', so that no index collides with these. */
                .val = 256 + i,
            };
    found = getopt_long(argc, argv, "h", options, NULL);
    if (found >= 256)
        return found - 256;

    return found == 'h' ? index_of(table, "help") : found;
}

/* Prints @text, wrapped, from the column @at of a line that is not empty. */
static void print_wrapped(const char *text, size_t at)
{
    while (*text) {
        size_t length = strcspn(text, " "), more = text[length] == ' ';

        if (at + 1 + length > HELP_WIDTH || at < HELP_INDENT) {
            printf("%s%*s", at < HELP_INDENT ? "" : "\n",
                   (int)(HELP_INDENT - (at < HELP_INDENT ? at : 0)), "");
            at = HELP_INDENT;
        } else if (at > HELP_INDENT) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)length, text);
        at += length;
        text += length + more;
    }
}

void option_print(const struct option_row *row)
{
    char text[500];
    size_t at = printf("  --%s%s%s", row->name, row->value ? " " : "",
                       row->value ? row->value : "");

    if (at >= HELP_INDENT) {
        putchar('\n');
        at = 0;
    }
    snprintf(text, sizeof(text), row->standard ? "%s (default: %s)" : "%s",
             row->help, row->standard);
    print_wrapped(text, at);
    putchar('\n');
}

void option_print_all(const struct option_table *table)
{
    unsigned int i;

    for (i = 0; i < table->nr; i++)
        if (is_taken(table, i))
            option_print(&table->row[i]);
}

static bool begins_with_digits(const char *text, uint64_t *number, char **end)
{
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, end, 10);

    return !errno;
}

bool option_number(const char *text, uint64_t min, uint64_t max,
                   uint64_t *number)
{
    char *end;

    return begins_with_digits(text, number, &end) && !*end &&
           *number >= min && *number <= max;
}

bool option_size(const char *text, uint64_t unit, uint64_t min, uint64_t max,
                 uint64_t *bytes)
{
    static const char units[] = "KMG";
    uint64_t number;
    char *end;

    if (!begins_with_digits(text, &number, &end))
        return false;
    if (*end) {
        const char *letter = strchr(units, *end);

        if (!letter || end[1])
            return false;
        unit = 1ULL << 10 * (letter - units + 1);
    }

    return !__builtin_mul_overflow(number, unit, bytes) && *bytes >= min &&
           *bytes <= max;
}

bool option_duration(const char *text, uint64_t unit_ns, uint64_t min_ns,
                     uint64_t max_ns, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        { "ns", 1 }, { "us", 1000 }, { "ms", OPTION_MS }, { "s", OPTION_S },
        { "min", 60 * OPTION_S }, { "h", 3600 * OPTION_S },
    };
    size_t length = strspn(text, "0123456789."), i = 0;
    double number;
    char *end;

    number = strtod(text, &end);
    if (!length || end != text + length)
        return false;
    if (*end) {
        while (i < sizeof(units) / sizeof(units[0]) &&
               strcmp(units[i].name, end))
            i++;
        if (i == sizeof(units) / sizeof(units[0]))
            return false;
        unit_ns = units[i].ns;
    }
    number *= unit_ns;
    if (number > (double)max_ns)
        return false;
    *ns = number + 0.5;

    return *ns >= min_ns;
}
