/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * option.h - the options of a program, each once: a row of its table is an
 * option of the command line, a line of --help, a key of the configuration if
 * it has one, and an entry of the manual page (made by "make man").  What a
 * value means is the program's own.
 */
#ifndef XENSCHED_CLI_OPTION_H
#define XENSCHED_CLI_OPTION_H

#include <stdbool.h>
#include <stdint.h>

struct option_row {
    const char *name;     /* --NAME */
    const char *value;    /* what --help calls it; NULL: a flag */
    const char *key;      /* of the configuration; NULL: an option only */
    const char *standard; /* the default; NULL: none, or @help says it */
    const char *takes;    /* which values, in words; NULL: a flag */
    const char *help;     /* the default, if there is one, is added */
    bool live;            /* can change while the daemon runs */
};

/* Those of @row which a program takes. */
struct option_table {
    const struct option_row *row;
    unsigned int nr;  /* 64 at most */
    uint64_t takes;   /* mask of 1 << index */
};

#define OPTIONS_ALL UINT64_MAX

/*
 * The index of the next option, whose value is in getopt's optarg; -1: there
 * is none; '?': there is no such option, which was complained about.  -h is
 * --help.  Restarts with optind 0.
 */
int option_next(const struct option_table *table, int argc, char **argv);

/* A row as --help has it, to standard output. */
void option_print(const struct option_row *row);

/* The same for each row of the table. */
void option_print_all(const struct option_table *table);

/* A decimal number without a sign, from @min to @max. */
bool option_number(const char *text, uint64_t min, uint64_t max,
                   uint64_t *number);

/*
 * A size from @min to @max bytes: a decimal number with K, M or G (powers of 1024) behind it, or
 * without, which is in units of @unit bytes.
 */
bool option_size(const char *text, uint64_t unit, uint64_t min, uint64_t max,
                 uint64_t *bytes);

/*
 * A duration from @min_ns to @max_ns: a decimal number with ns, us, ms, s, min or h
 * behind it, or without, which is in units of @unit_ns.
 */
bool option_duration(const char *text, uint64_t unit_ns, uint64_t min_ns,
                     uint64_t max_ns, uint64_t *ns);

#define OPTION_MS 1000000ULL
#define OPTION_S  1000000000ULL

#endif /* XENSCHED_CLI_OPTION_H */
