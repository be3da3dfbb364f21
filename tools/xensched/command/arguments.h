/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arguments.h - parses the command line of the subcommands.
 *
 * An option has one meaning for all subcommands, so there is one table of options (in arguments.c;
 * see option.h), and a subcommand selects its options.  The table has --seconds and --at twice: of
 * the past, and of rows.
 */
#ifndef XENSCHED_ARGUMENTS_H
#define XENSCHED_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct command;

enum argument_option {
    OPTION_SOCKET, OPTION_JSON, OPTION_SECONDS, OPTION_SIZE, OPTION_INTERVAL,
    OPTION_SOURCE, OPTION_HOST, OPTION_TOP, OPTION_SORT, OPTION_AT,
    OPTION_THREAD, OPTION_HTML, OPTION_PERFETTO, OPTION_CTF, OPTION_WITH,
    OPTION_BEGIN, OPTION_END,
    OPTION_RING, OPTION_LAST, OPTION_EVENT, OPTION_DOMAIN,
    OPTION_TRIGGER, OPTION_CONFIG, OPTION_DATABASE, OPTION_ALL, OPTION_CSV,
    OPTION_MARKDOWN, OPTION_TIMES, OPTION_EVERY, OPTION_DRY_RUN, OPTION_DO,
    OPTION_CHECKPOINT, OPTION_HOOK, OPTION_SEED, OPTION_CAN_START,
    OPTION_PROCESSES, OPTION_METRICS, OPTION_PROMETHEUS, OPTION_LEAST,
    OPTION_BLOCK, OPTION_PAIRS, OPTION_WORST,
    OPTION_SPAN, OPTION_CLOCK,
    OPTION_SNAPSHOT, OPTION_SUMMARY,
    OPTION_HELP,
    NR_OPTIONS,
};

/* Masks of options. */
#define ARGUMENT_SOCKET        (1ULL << OPTION_SOCKET)
#define ARGUMENT_JSON          (1ULL << OPTION_JSON)
#define ARGUMENT_SECONDS       (1ULL << OPTION_SECONDS)
#define ARGUMENT_SIZE          (1ULL << OPTION_SIZE)
#define ARGUMENT_INTERVAL      (1ULL << OPTION_INTERVAL)
#define ARGUMENT_SOURCE        (1ULL << OPTION_SOURCE)
#define ARGUMENT_HOST          (1ULL << OPTION_HOST)
#define ARGUMENT_TOP           (1ULL << OPTION_TOP)
#define ARGUMENT_SORT          (1ULL << OPTION_SORT)
#define ARGUMENT_AT            (1ULL << OPTION_AT)
#define ARGUMENT_THREAD        (1ULL << OPTION_THREAD)
#define ARGUMENT_HTML          (1ULL << OPTION_HTML)
#define ARGUMENT_PERFETTO      (1ULL << OPTION_PERFETTO)
#define ARGUMENT_CTF           (1ULL << OPTION_CTF)
#define ARGUMENT_WITH          (1ULL << OPTION_WITH)
/* Marks that begin and end a region. */
#define ARGUMENT_BEGIN_END     (1ULL << OPTION_BEGIN | 1ULL << OPTION_END)
/* A ring, and the time that it keeps. */
#define ARGUMENT_RING          (1ULL << OPTION_RING | 1ULL << OPTION_LAST)
/* Events, and a domain. */
#define ARGUMENT_FILTER        (1ULL << OPTION_EVENT | 1ULL << OPTION_DOMAIN)
#define ARGUMENT_TRIGGER       (1ULL << OPTION_TRIGGER)
#define ARGUMENT_WORST         (1ULL << OPTION_WORST)
#define ARGUMENT_CONFIG        (1ULL << OPTION_CONFIG)
#define ARGUMENT_DATABASE      (1ULL << OPTION_DATABASE)
#define ARGUMENT_ALL           (1ULL << OPTION_ALL)
#define ARGUMENT_CAN_START     (1ULL << OPTION_CAN_START)
#define ARGUMENT_PROCESSES     (1ULL << OPTION_PROCESSES)
#define ARGUMENT_METRICS       (1ULL << OPTION_METRICS)
#define ARGUMENT_PROMETHEUS    (1ULL << OPTION_PROMETHEUS)
#define ARGUMENT_LEAST         (1ULL << OPTION_LEAST)
/* Seconds of the latest hour. */
#define ARGUMENT_WHEN          (1ULL << OPTION_SPAN | 1ULL << OPTION_CLOCK)
#define ARGUMENT_SNAPSHOT      (1ULL << OPTION_SNAPSHOT)
#define ARGUMENT_SUMMARY       (1ULL << OPTION_SUMMARY)
/* The format of a table. */
#define ARGUMENT_FORM          (1ULL << OPTION_CSV | 1ULL << OPTION_MARKDOWN)
/* The number of times, and the actions. */
#define ARGUMENT_REACTION      (1ULL << OPTION_TIMES | 1ULL << OPTION_EVERY | \
                                1ULL << OPTION_DRY_RUN | 1ULL << OPTION_DO)
/* Lengths, number and order of blocks. */
#define ARGUMENT_TRIAL         (1ULL << OPTION_BLOCK | 1ULL << OPTION_PAIRS | \
                                1ULL << OPTION_SEED | 1ULL << OPTION_DRY_RUN)
/* The folder of samples, and their number. */
#define ARGUMENT_SAMPLED       (1ULL << OPTION_TIMES | 1ULL << OPTION_EVERY | \
                                1ULL << OPTION_CHECKPOINT | \
                                1ULL << OPTION_HOOK | 1ULL << OPTION_TOP | \
                                1ULL << OPTION_SEED)

/* Masks of operands. */
#define ARGUMENT_ACTION        (1ULL << 48) /* mandatory, with the action's own operands */
#define ARGUMENT_FILE          (1ULL << 49) /* mandatory */
#define ARGUMENT_OPTIONAL_FILE (1ULL << 50)
#define ARGUMENT_DOMAIN_ON_OFF (1ULL << 51) /* mandatory */
#define ARGUMENT_SETTINGS      (1ULL << 52) /* of xenschedd, after a -- */
#define ARGUMENT_DOMAIN        (1ULL << 53) /* mandatory */
#define ARGUMENT_WHO           (1ULL << 54) /* a domain or a group; optional */
#define ARGUMENT_CONDITION     (1ULL << 55) /* an action whose operands --do has */
#define ARGUMENT_SAMPLE        (1ULL << 56) /* an action: a guest, or a word */

/* The most actions, each with a --do. */
#define ARGUMENTS_DO 16

struct arguments {
    const char *socket; /* path; never NULL */
    bool json;
    double seconds;  /* 0: no limit */
    uint64_t size;   /* bytes; 0: no limit */
    uint64_t interval_ms; /* 0: not given */
    const char *file; /* NULL: none */
    const char *source; /* NULL: none */
    const char *host;   /* path; NULL: none */
    const char *config; /* path; NULL: none */
    int nr_settings;
    char **settings;    /* [0] is no setting, but space for a name */
    uint32_t domid;
    bool on;
    const char *domain; /* name or number; NULL: none */
    const char *domain_or_group; /* NULL: all */
    unsigned int top;   /* entries; 0: all */
    bool top_given;
    uint64_t worst;     /* waits; 0: not given */
    const char *sort;   /* NULL: not given */
    uint64_t at_ns;     /* a time within a recording */
    bool at_given;
    const char *clock;  /* HH:MM or HH:MM:SS; NULL: not given */
    const char *thread; /* name or PID; NULL: not given */
    const char *html;   /* path; NULL: not given */
    const char *perfetto; /* path; NULL: not given */
    const char *ctf;    /* path of a folder; NULL: not given */
    const char *with;   /* path; NULL: not given */
    const char *begin, *end; /* names or codes of marks; NULL: not given */
    uint64_t ring;      /* bytes; 0: none */
    double last;        /* seconds; 0: not given */
    const char *events; /* a list; NULL: all */
    const char *only;   /* a domain's name or number; NULL: all */
    const char *trigger; /* path; NULL: the default */
    const char *database; /* path; NULL: the default */
    bool all;
    bool csv, markdown;
    bool times_given;
    uint64_t times;     /* 0: no limit */
    const char *every;  /* NULL: not given */
    bool dry_run;
    const char *checkpoint; /* path of a folder; NULL: not given */
    const char *hook;       /* a shell command; NULL: not given */
    uint64_t seed;          /* of random choices; 1 if not given */
    unsigned int nr_do; /* number of --do */
    const char *action_to_do[ARGUMENTS_DO];
    bool can_start;
    bool snapshot, summary;
    const char *metrics;    /* path; NULL: not given */
    const char *prometheus; /* URL; NULL: not given */
    uint64_t least;         /* bytes per second; 0: not given */
    uint64_t block_ms;      /* 0: not given */
    uint64_t pairs;         /* 0: not given */
    const char *processes; /* a domain's name or number; NULL: not given */
    const char *action;
    int nr_words;       /* number of operands after the action */
    char **word;
};

enum arguments_result {
    ARGUMENTS_RUN,   /* *args is complete */
    ARGUMENTS_HELP,  /* help was requested and printed */
    ARGUMENTS_WRONG, /* a message was printed */
};

/*
 * Parses @argv, whose first member is the subcommand's name, for @command.
 */
enum arguments_result arguments_parse(const struct command *command, int argc,
                                      char **argv, struct arguments *args);

/* Prints that arguments do not fit together; returns EXIT_WRONG_USE. */
int arguments_wrong(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif /* XENSCHED_ARGUMENTS_H */
