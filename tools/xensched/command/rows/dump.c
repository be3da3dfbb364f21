/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump.c - xensched dump: the rows of a recording, or those which this host
 * logs, as text or JSON lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xensched/event.h>
#include <xensched/recording.h>

#include "command/command.h"
#include "follow.h"
#include "acct-names.h"
#include "timeline/rows/stamp.h"

/* Digits of any number in a column, and words like "none". */
#define WORD_SIZE 32

#define COLUMNS "%20s %4s %-12s %15s %15s %12s"

/* Between two questions to xenschedd, and after one without an answer. */
#define ASK_SECONDS 1.0
#define NOT_ASK_SECONDS 10.0

struct dump {
    struct follow follow;
    struct acct_names *names;
    uint64_t told;      /* how often the source said what the host is */
    const char *socket; /* of a daemon which says it instead, or NULL */
    double next_asked;  /* seconds since the beginning */
    uint64_t tsc_khz;
    struct stamps stamps[XENSCHED_MAX_SOURCES];
    uint32_t source; /* of the rows that are printed */
    bool json;
};

enum time_kind { TIME_NONE, TIME_SECONDS, TIME_TSC, TIME_TICK, TIME_VIRTUAL };

static bool is_tick(const struct xensched_layout *layout)
{
    return (layout->lcr & XEN_SCHEDLOG_LCR_TIME_MASK) ==
           XEN_SCHEDLOG_LCR_TIME_TICK;
}

/* @text is what to print as the time stamp of @row. */
static enum time_kind time_of(struct dump *d,
                              const struct xensched_layout *layout,
                              const struct xensched_row *row,
                              char text[WORD_SIZE])
{
    uint64_t cycles, ns;

    snprintf(text, WORD_SIZE, "-");
    if (!(row->valid & XENSCHED_ROW_TIME))
        return TIME_NONE;
    if (xensched_layout_tsc_shift(layout) < 0) {
        snprintf(text, WORD_SIZE, "%" PRIu64, row->time);
        return is_tick(layout) ? TIME_TICK : TIME_VIRTUAL;
    }
    cycles = stamp_cycles(&d->stamps[d->source], layout, row);
    /* Others than the first have clocks of their own. */
    if (!d->tsc_khz || d->source) {
        snprintf(text, WORD_SIZE, "%" PRIu64, cycles);
        return TIME_TSC;
    }
    ns = (unsigned __int128)cycles * 1000000 / d->tsc_khz;
    snprintf(text, WORD_SIZE, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
             ns % 1000000000);

    return TIME_SECONDS;
}

static void event_of(const struct xensched_row *row, char text[WORD_SIZE])
{
    const char *name = xensched_event_name(row->event);

    if (name)
        snprintf(text, WORD_SIZE, "%s", name);
    else
        snprintf(text, WORD_SIZE, "%u", row->event);
}

static const char *acct_of(const struct dump *d, unsigned int valid,
                           uint16_t acct)
{
    return valid ? acct_names_of(d->names, acct) : "-";
}

static void print_text_row(struct dump *d,
                           const struct xensched_layout *layout,
                           const struct xensched_row *row)
{
    char time[WORD_SIZE], event[WORD_SIZE] = "-", counter[WORD_SIZE] = "-";
    char cpu[WORD_SIZE];

    snprintf(cpu, sizeof(cpu), "%u", row->cpu);
    time_of(d, layout, row, time);
    if (row->valid & XENSCHED_ROW_EVENT)
        event_of(row, event);
    if (row->valid & XENSCHED_ROW_COUNTER)
        snprintf(counter, sizeof(counter), "%" PRIu64, row->counter);

    printf(COLUMNS, time, cpu, event,
           acct_of(d, row->valid & XENSCHED_ROW_CURRENT, row->current),
           acct_of(d, row->valid & XENSCHED_ROW_CORRESPONDENT,
                   row->correspondent), counter);
    if (d->source)
        printf(" source %u", d->source);
    printf("\n");
}

static void print_json_row(struct dump *d,
                           const struct xensched_layout *layout,
                           const struct xensched_row *row)
{
    static const char *const time_names[] = {
        [TIME_SECONDS] = "time_s",
        [TIME_TSC] = "tsc",
        [TIME_TICK] = "tick",
        [TIME_VIRTUAL] = "virtual",
    };
    char time[WORD_SIZE], event[WORD_SIZE];
    enum time_kind kind = time_of(d, layout, row, time);

    printf("{\"cpu\":%u", row->cpu);
    if (d->source)
        printf(",\"source\":%u", d->source);
    if (kind != TIME_NONE)
        printf(",\"%s\":%s", time_names[kind], time);
    if (row->valid & XENSCHED_ROW_EVENT) {
        event_of(row, event);
        printf(",\"event\":\"%s\"", event);
    }
    if (row->valid & XENSCHED_ROW_CURRENT)
        printf(",\"current\":%u", row->current);
    if (row->valid & XENSCHED_ROW_CORRESPONDENT)
        printf(",\"correspondent\":%u", row->correspondent);
    if (row->valid & XENSCHED_ROW_COUNTER)
        printf(",\"counter\":%" PRIu64, row->counter);
    printf("}\n");
}

static void print_loss(const struct dump *d,
                       const struct xensched_batch *batch)
{
    if (d->json)
        printf("{\"cpu\":%u,\"file\":%u,\"source\":%u,\"lost_rows\":%" PRIu64
               ",\"lost_bytes\":%" PRIu64 "}\n", batch->cpu, batch->file,
               batch->source, batch->lost_rows, batch->lost_bytes);
    else
        printf("# %s %u, log file %u: %" PRIu64 " rows (%" PRIu64
               " bytes) lost here\n", batch->source ? "vCPU" : "pCPU",
               batch->cpu, batch->file,
               batch->lost_rows, batch->lost_bytes);
}

static int output_failed(struct xensched_error *err)
{
    return xensched_fail(err, errno ? errno : EIO, "cannot write the rows: "
                         "%s", strerror(errno ? errno : EIO));
}

static void learn_names(struct dump *d)
{
    const char *text;
    size_t length;
    uint64_t told = xensched_source_host(d->follow.source, &text, &length);

    if (told != d->told)
        acct_names_learn(d->names, text, length);
    d->told = told;
}

static void ask_for_names(struct dump *d, double seconds)
{
    if (!d->socket || seconds < d->next_asked)
        return;
    d->next_asked = seconds + (acct_names_ask(d->names, d->socket)
                               ? NOT_ASK_SECONDS : ASK_SECONDS);
}

static int take_batch(void *data, const struct xensched_batch *batch,
                      struct xensched_error *err)
{
    struct dump *d = data;
    size_t nr = xensched_batch_rows(batch), i;

    learn_names(d);
    errno = 0;
    d->source = batch->source % XENSCHED_MAX_SOURCES;
    if (batch->lost_bytes || batch->lost_rows)
        print_loss(d, batch);
    for (i = 0; i < nr; i++) {
        struct xensched_row row;

        xensched_batch_row(batch, i, &row);
        if (d->json)
            print_json_row(d, &batch->layout, &row);
        else
            print_text_row(d, &batch->layout, &row);
    }

    return ferror(stdout) ? output_failed(err) : FOLLOW_ON;
}

/* Who looks at live rows wants to see them now. */
static int on_idle(void *data, double seconds, struct xensched_error *err)
{
    ask_for_names(data, seconds);
    errno = 0;

    return fflush(stdout) ? output_failed(err) : FOLLOW_ON;
}

static int open_recording(const char *file, struct xensched_source **source,
                          struct xensched_error *err)
{
    char *spec;
    int rc;

    if (asprintf(&spec, "recording:%s", file) < 0)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = xensched_source_open(spec, NULL, source, err);
    free(spec);

    return rc;
}

/* Of what cannot be read twice, such as a pipe, nothing is learned before. */
static void learn_from_recording(struct dump *d, const char *file)
{
    struct xensched_source *source;
    struct stat st;

    if (stat(file, &st) || !S_ISREG(st.st_mode) ||
        open_recording(file, &source, NULL))
        return;
    stamps_learn_from_source(&d->stamps[0], source);
    xensched_source_close(source);
}

static int open_source(struct dump *d, const struct arguments *args,
                       struct xensched_error *err)
{
    int rc;

    if (args->file) {
        learn_from_recording(d, args->file);
        return open_recording(args->file, &d->follow.source, err);
    }
    follow_catch_signals();
    rc = follow_open_live(&d->follow, follow_source(args), err);
    if (!rc)
        stamps_learn_from_area(&d->stamps[0], d->follow.area);

    return rc;
}

static int run(const struct arguments *args)
{
    struct dump d = {
        .follow = {
            .seconds = args->seconds,
            .take = take_batch,
            .idle = on_idle,
            .data = &d,
        },
        .json = args->json,
        /* Rows as JSON have numbers. */
        .socket = args->file || args->json ? NULL : args->socket,
    };
    struct xensched_error err;
    int rc;

    if (args->file && (args->seconds || args->source))
        return arguments_wrong(&command_dump, "dump: --seconds and --source "
                               "are for live rows, without a FILE");

    d.names = acct_names_new();
    rc = open_source(&d, args, &err);
    if (!rc) {
        ask_for_names(&d, 0);
        d.tsc_khz = xensched_source_tsc_khz(d.follow.source);
        if (!d.json)
            printf(COLUMNS "\n", "time", "cpu", "event", "current",
                   "correspondent", "counter");
        rc = follow_run(&d.follow, &err);
        follow_close(&d.follow);
    }
    acct_names_free(d.names);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_dump = {
    .name = "dump",
    .summary = "print the rows of a recording or of this host's logs",
    .help =
        "Print the rows of the recording FILE; or, without one, those which "
        "this host\n"
        "logs from now on, until Ctrl-C. Rows of one pCPU and log file are in "
        "order,\n"
        "those of several are not. Domains have their names, if the recording "
        "or\n"
        "xenschedd says them, or else the numbers which 'xensched status' "
        "prints as\n"
        "ACCT; with --json, where each row is an object on its own line, "
        "always numbers.",
    .takes = ARGUMENT_SOCKET | ARGUMENT_JSON | ARGUMENT_SECONDS | ARGUMENT_SOURCE |
             ARGUMENT_OPTIONAL_FILE,
    .run = run,
};
