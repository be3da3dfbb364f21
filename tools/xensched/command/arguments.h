/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arguments.h - the options of all subcommands.
 *
 * An option means the same wherever it is taken, so there is one list of them
 * (in arguments.c), of which a subcommand names those that it takes.
 */
#ifndef XENSCHED_ARGUMENTS_H
#define XENSCHED_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct command;

#define ARGUMENT_SOCKET        (1U << 0)
#define ARGUMENT_JSON          (1U << 1)
#define ARGUMENT_SECONDS       (1U << 2)
#define ARGUMENT_SIZE          (1U << 3)
#define ARGUMENT_FILE          (1U << 4) /* has to be there */
#define ARGUMENT_OPTIONAL_FILE (1U << 5)
#define ARGUMENT_DOMAIN_ON_OFF (1U << 6) /* have to be there */
#define ARGUMENT_SOURCE        (1U << 7)
#define ARGUMENT_INTERVAL      (1U << 8)
#define ARGUMENT_HOST          (1U << 9)
#define ARGUMENT_SETTINGS      (1U << 10) /* of xenschedd, after a -- */
#define ARGUMENT_DOMAIN        (1U << 11) /* has to be there */
#define ARGUMENT_WHO           (1U << 12) /* a domain or a group, or not */
#define ARGUMENT_TOP           (1U << 13)
#define ARGUMENT_SORT          (1U << 14)

struct arguments {
    const char *socket; /* path; never NULL */
    bool json;
    double seconds;  /* 0: no limit */
    uint64_t size;   /* bytes; 0: no limit */
    uint64_t interval_ms; /* 0: not given */
    const char *file; /* NULL: none given */
    const char *source; /* NULL: none given */
    const char *host;   /* path; NULL: none given */
    int nr_settings;
    char **settings;    /* the first is no setting, but room for a name */
    uint32_t domid;
    bool on;
    const char *domain; /* name or number; NULL: none given */
    const char *who;    /* the same, or a group */
    unsigned int top;   /* entries; 0: all */
    bool top_given;
    const char *sort;   /* NULL: not given */
};

enum arguments_result {
    ARGUMENTS_RUN,   /* *args is complete */
    ARGUMENTS_HELP,  /* help was asked for, and printed */
    ARGUMENTS_WRONG, /* the user has been told what is wrong */
};

/*
 * Understand @argv, whose first member is the subcommand's name, for
 * @command.
 */
enum arguments_result arguments_parse(const struct command *command, int argc,
                                      char **argv, struct arguments *args);

/* Say that arguments don't go together; returns EXIT_WRONG_USE. */
int arguments_wrong(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif /* XENSCHED_ARGUMENTS_H */
