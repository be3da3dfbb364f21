/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * option.h - defines each option of a program once: a row of its table is an option of the command
 * line, a line of --help, a key of the configuration if it has one, and an entry of the manual page
 * (made by "make man").  The program interprets values.
 */
#ifndef XENSCHED_CLI_OPTION_H
#define XENSCHED_CLI_OPTION_H

#include <stdbool.h>
#include <stdint.h>

struct option_row {
    const char *name;     /* --NAME */
    const char *value;    /* its name in --help; NULL: a flag */
    const char *key;      /* of the configuration; NULL: none */
    const char *standard; /* the default; NULL: none, or in @help */
    const char *takes;    /* valid values, in words; NULL: a flag */
    const char *help;     /* --help appends the default */
    bool live;            /* can change while the daemon runs */
};

/* The rows that a program accepts. */
struct option_table {
    const struct option_row *row;
    unsigned int nr;  /* 64 at most */
    uint64_t takes;   /* mask of 1 << index */
};

#define OPTIONS_ALL UINT64_MAX

/*
 * Returns the index of the next option, with its value in getopt's optarg; -1: none; '?': an
 * unknown option, after a message.  -h is --help.  Restarts with optind 0.
 */
int option_next(const struct option_table *table, int argc, char **argv);

/* Prints a row of --help to standard output. */
void option_print(const struct option_row *row);

/* Does the same for each row of the table. */
void option_print_all(const struct option_table *table);

/* Parses a decimal number without a sign, from @min to @max. */
bool option_number(const char *text, uint64_t min, uint64_t max,
                   uint64_t *number);

/*
 * Parses a size from @min to @max bytes: a decimal number followed by K, M or G (powers of 1024),
 * or a plain number in units of @unit bytes.
 */
bool option_size(const char *text, uint64_t unit, uint64_t min, uint64_t max,
                 uint64_t *bytes);

/*
 * Parses a duration from @min_ns to @max_ns: a decimal number followed by ns, us, ms, s, min or h,
 * or a plain number in units of @unit_ns.
 */
bool option_duration(const char *text, uint64_t unit_ns, uint64_t min_ns,
                     uint64_t max_ns, uint64_t *ns);

#define OPTION_MS 1000000ULL
#define OPTION_S  1000000000ULL

#endif /* XENSCHED_CLI_OPTION_H */
