/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.c - xensched record: keep the rows of this host's live area in a
 * file, and what xenschedd says that their numbers stand for.
 *
 * Looks at the area read-only; other readers don't notice, and xenschedd is
 * asked once per second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xensched/recording.h>

#include "client.h"
#include "command.h"
#include "follow.h"

#define PROGRESS_SECONDS 0.5

/* Between two questions to xenschedd, and after one without an answer. */
#define HOST_SECONDS 1.0
#define NO_HOST_SECONDS 10.0
/* Rows wait meanwhile: their logs last for longer. */
#define HOST_TIMEOUT_MS 500U

struct record {
    struct follow follow;
    struct xensched_recorder *recorder;
    const char *file;
    uint64_t size; /* bytes, where to end; 0: no limit */
    bool progress;
    double next_progress; /* seconds since the beginning */
    double seconds;       /* likewise, now */
    const char *socket;
    double next_host;     /* likewise */
    char *host;           /* what xenschedd said last; NULL: nothing */
    bool host_missed;     /* that it said nothing was told */
};

static void *stop_asking(struct record *r, const struct xensched_error *why)
{
    r->next_host = r->seconds + NO_HOST_SECONDS;
    if (!r->host_missed)
        complain("note: the recording does not say %s what its numbers stand "
                 "for: %s", r->host ? "any more" : "yet", why->text);
    r->host_missed = true;

    return NULL;
}

/* What the host is now, if that is news; else NULL.  To be freed. */
static char *news_of_host(struct record *r)
{
    struct json_object *host;
    struct xensched_error err;
    const char *text;
    char *copy = NULL;

    if (client_ask(r->socket, "host", NULL, HOST_TIMEOUT_MS, &host, &err))
        return stop_asking(r, &err);
    r->next_host = r->seconds + HOST_SECONDS;
    r->host_missed = false;
    text = json_object_to_json_string_ext(host, JSON_C_TO_STRING_PLAIN);
    if (!r->host || strcmp(r->host, text))
        copy = strdup(text);
    json_object_put(host);

    return copy;
}

static int record_host(struct record *r, struct xensched_error *err)
{
    char *text = news_of_host(r);
    struct timespec now;

    if (!text)
        return 0;
    free(r->host);
    r->host = text;
    clock_gettime(CLOCK_MONOTONIC, &now);

    return xensched_recorder_host(r->recorder,
                                  now.tv_sec * 1000000000ULL + now.tv_nsec,
                                  text, strlen(text), err);
}

static int take_batch(void *data, const struct xensched_batch *batch,
                      struct xensched_error *err)
{
    struct record *r = data;
    int rc = xensched_recorder_write(r->recorder, batch, err);

    if (rc)
        return rc;
    if (r->size && xensched_recorder_bytes(r->recorder) >= r->size)
        return FOLLOW_END;

    return FOLLOW_ON;
}

static void print_numbers(const struct record *r, uint64_t bytes)
{
    struct xensched_source_stats stats;

    xensched_source_stats(r->follow.source, &stats);
    fprintf(stderr, "%s: %.1f s, %" PRIu64 " rows, %" PRIu64 " KiB, %" PRIu64
            " rows lost", r->file, r->seconds, stats.rows, bytes / 1024,
            stats.lost_rows);
}

/* How much of what was asked for is done, in percent; negative: no limit. */
static double done(const struct record *r, uint64_t bytes)
{
    double by_time = -1, by_size = -1;

    if (r->follow.seconds)
        by_time = 100 * r->seconds / r->follow.seconds;
    if (r->size)
        by_size = 100.0 * bytes / r->size;
    if (by_size > by_time)
        by_time = by_size;

    return by_time < 100 ? by_time : 100;
}

static void print_progress(const struct record *r)
{
    uint64_t bytes = xensched_recorder_bytes(r->recorder);

    fputs("\r", stderr);
    if (done(r, bytes) >= 0)
        fprintf(stderr, "%3.0f %%  ", done(r, bytes));
    print_numbers(r, bytes);
    fputs("\033[K", stderr);
}

static int on_idle(void *data, double seconds, struct xensched_error *err)
{
    struct record *r = data;

    r->seconds = seconds;
    if (seconds >= r->next_host && record_host(r, err))
        return err->code;
    if (r->progress && seconds >= r->next_progress) {
        print_progress(r);
        r->next_progress = seconds + PROGRESS_SECONDS;
    }

    return FOLLOW_ON;
}

/* What is on the disk is complete when this returns 0. */
static int record(struct record *r, struct xensched_error *err)
{
    struct xensched_error close_err;
    uint64_t bytes;
    int rc, close_rc;

    rc = record_host(r, err);
    if (!rc)
        rc = follow_run(&r->follow, err);
    bytes = xensched_recorder_bytes(r->recorder);
    close_rc = xensched_recorder_close(r->recorder, &close_err);
    if (!rc && close_rc) {
        rc = close_rc;
        *err = close_err;
    }
    if (r->progress)
        fputs("\r\033[K", stderr);
    print_numbers(r, bytes);
    fputs("\n", stderr);

    return rc;
}

static int run(const struct arguments *args)
{
    struct record r = {
        .follow = {
            .seconds = args->seconds,
            .take = take_batch,
            .idle = on_idle,
            .data = &r,
        },
        .file = args->file,
        .size = args->size,
        .socket = args->socket,
        .progress = isatty(STDERR_FILENO),
    };
    struct xensched_error err;
    int rc;

    follow_catch_signals();
    rc = follow_open_live(&r.follow, follow_source(args), &err);
    if (!rc) {
        rc = xensched_recorder_open(args->file,
                                    xensched_source_tsc_khz(r.follow.source),
                                    &r.recorder, &err);
        if (!rc)
            rc = record(&r, &err);
        follow_close(&r.follow);
        free(r.host);
    }
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_record = {
    .name = "record",
    .summary = "keep the rows of this host's logs in a file",
    .help =
        "Write the rows which this host logs to FILE, from now on, until "
        "Ctrl-C or until\n"
        "a limit is reached. An existing FILE is replaced. Which events are "
        "logged is up\n"
        "to xenschedd, which has to be running. It is asked each second what "
        "the rows'\n"
        "numbers stand for, which 'xensched replay' needs; otherwise it does "
        "not notice\n"
        "the recording.",
    .takes = ARGUMENT_SECONDS | ARGUMENT_SIZE | ARGUMENT_SOURCE |
             ARGUMENT_SOCKET | ARGUMENT_FILE,
    .run = run,
};
