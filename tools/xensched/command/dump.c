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

#include "command.h"
#include "follow.h"
#include "stamp.h"

/* Digits of any number in a column, and words like "none". */
#define WORD_SIZE 32

struct dump {
    struct follow follow;
    uint64_t tsc_khz;
    struct stamps stamps;
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
    cycles = stamp_cycles(&d->stamps, layout, row);
    if (!d->tsc_khz) {
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

static void acct_of(unsigned int valid, uint16_t acct, char text[WORD_SIZE])
{
    if (!valid)
        snprintf(text, WORD_SIZE, "-");
    else if (acct == XEN_SCHEDLOG_ACCT_REST)
        snprintf(text, WORD_SIZE, "rest");
    else if (acct == XEN_SCHEDLOG_ACCT_XEN)
        snprintf(text, WORD_SIZE, "xen");
    else if (acct == XEN_SCHEDLOG_ACCT_NONE)
        snprintf(text, WORD_SIZE, "none");
    else
        snprintf(text, WORD_SIZE, "%u", acct);
}

static void print_text_row(struct dump *d,
                           const struct xensched_layout *layout,
                           const struct xensched_row *row)
{
    char time[WORD_SIZE], event[WORD_SIZE] = "-", counter[WORD_SIZE] = "-";
    char current[WORD_SIZE], correspondent[WORD_SIZE];

    time_of(d, layout, row, time);
    if (row->valid & XENSCHED_ROW_EVENT)
        event_of(row, event);
    acct_of(row->valid & XENSCHED_ROW_CURRENT, row->current, current);
    acct_of(row->valid & XENSCHED_ROW_CORRESPONDENT, row->correspondent,
            correspondent);
    if (row->valid & XENSCHED_ROW_COUNTER)
        snprintf(counter, sizeof(counter), "%" PRIu64, row->counter);

    printf("%20s %4u %-12s %7s %13s %12s\n", time, row->cpu, event, current,
           correspondent, counter);
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
        printf("{\"cpu\":%u,\"file\":%u,\"lost_rows\":%" PRIu64
               ",\"lost_bytes\":%" PRIu64 "}\n", batch->cpu, batch->file,
               batch->lost_rows, batch->lost_bytes);
    else
        printf("# pCPU %u, log file %u: %" PRIu64 " rows (%" PRIu64
               " bytes) lost here\n", batch->cpu, batch->file,
               batch->lost_rows, batch->lost_bytes);
}

static int output_failed(struct xensched_error *err)
{
    return xensched_fail(err, errno ? errno : EIO, "cannot write the rows: "
                         "%s", strerror(errno ? errno : EIO));
}

static int take_batch(void *data, const struct xensched_batch *batch,
                      struct xensched_error *err)
{
    struct dump *d = data;
    size_t nr = xensched_batch_rows(batch), i;

    errno = 0;
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
    (void)data;
    (void)seconds;
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
    stamps_learn_from_source(&d->stamps, source);
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
        stamps_learn_from_area(&d->stamps, d->follow.area);

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
    };
    struct xensched_error err;
    int rc;

    if (args->file && (args->seconds || args->source))
        return arguments_wrong(&command_dump, "dump: --seconds and --source "
                               "are for live rows, without a FILE");

    rc = open_source(&d, args, &err);
    if (!rc) {
        d.tsc_khz = xensched_source_tsc_khz(d.follow.source);
        if (!d.json)
            printf("%20s %4s %-12s %7s %13s %12s\n", "time", "cpu", "event",
                   "current", "correspondent", "counter");
        rc = follow_run(&d.follow, &err);
        follow_close(&d.follow);
    }
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
        "those of several are not. Domains have the numbers which 'xensched "
        "status'\n"
        "prints as ACCT. With --json each row is an object on its own line.",
    .takes = ARGUMENT_JSON | ARGUMENT_SECONDS | ARGUMENT_SOURCE |
             ARGUMENT_OPTIONAL_FILE,
    .run = run,
};
