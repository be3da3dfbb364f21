/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched record: keeps the rows of this host's logs in a file, or the latest of them in
 * memory, with the names that xenschedd has for the numbers in them.
 *
 * It reads logs that xenschedd controls read-only, and asks xenschedd once per second.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xensched/clock.h>
#include <xensched/recording.h>

#include "command/ask/client.h"
#include "command/command.h"
#include "filter.h"
#include "follow.h"
#include "trigger.h"
#include "record-sources.h"

#define PROGRESS_SECONDS 0.5

/* Time between two rounds, and between two searches for sources. */
#define PAUSE_NS     10000000L
#define LOOK_SECONDS 1.0

/* Seconds between two questions to xenschedd. */
#define HOST_SECONDS 1.0
/* Rows wait meanwhile: their logs last for longer. */
#define HOST_TIMEOUT_MS 500U
/* For the last question, if none was answered. */
#define LAST_TIMEOUT_MS 5000U

struct record {
    const struct arguments *args;
    struct recorded_sources *sources;
    struct filter filter;
    struct xensched_recorder *recorder;
    const char *name;     /* of the recording, in messages */
    bool progress;
    double begin;         /* seconds, CLOCK_MONOTONIC */
    double next_progress; /* seconds since the beginning */
    double seconds;       /* now, since the beginning */
    double next_host;     /* seconds since the beginning */
    double next_look;     /* seconds since the beginning */
    char *host;           /* xenschedd's latest answer; NULL: none */
    bool host_missed;     /* its absence was reported */
    int trigger;          /* socket for requests of a snapshot or the end; -1: none */
    bool stopped;         /* by such a request */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void *miss_host(struct record *r, const struct xensched_error *why)
{
    if (!r->host_missed)
        complain("note: the recording does not name the domains of its numbers%s: %s",
                 r->host ? " any more" : " yet", why->text);
    r->host_missed = true;

    return NULL;
}

/* Returns the description of the host if it has changed, else NULL.  The caller frees it. */
static char *news_of_host(struct record *r, unsigned int timeout_ms)
{
    struct json_object *host;
    struct xensched_error err;
    const char *text;
    char *copy = NULL;

    r->next_host = r->seconds + HOST_SECONDS;
    if (client_ask(r->args->socket, "host", NULL, timeout_ms, &host, &err))
        return miss_host(r, &err);
    client_join(r->args->socket);
    r->host_missed = false;
    text = json_object_to_json_string_ext(host, JSON_C_TO_STRING_PLAIN);
    if (!r->host || strcmp(r->host, text))
        copy = strdup(text);
    if (copy)
        filter_host(&r->filter, host);
    json_object_put(host);

    return copy;
}

static int record_host(struct record *r, unsigned int timeout_ms,
                       struct xensched_error *err)
{
    char *text = news_of_host(r, timeout_ms);

    if (!text)
        return 0;
    free(r->host);
    r->host = text;

    return xensched_recorder_host(r->recorder, now_ns(), text, strlen(text),
                                  err);
}

/* Late names are better than none, so the daemon has a longer time for the last answer. */
static int record_host_at_last(struct record *r, struct xensched_error *err)
{
    int rc = r->host ? 0 : record_host(r, LAST_TIMEOUT_MS, err);

    if (!r->host)
        complain("note: the recording has no names of domains and no numbers "
                 "of their vCPUs");

    return rc;
}

static void print_numbers(const struct record *r, uint64_t bytes)
{
    struct recorded_sources_numbers n;

    recorded_sources_numbers(r->sources, &n);
    fprintf(stderr, "%s: %.1f s, %" PRIu64 " rows, %" PRIu64 " KiB, %" PRIu64
            " rows lost", r->name, r->seconds, n.rows, bytes / 1024,
            n.lost_rows);
    if (n.nr > 1)
        fprintf(stderr, ", %u sources", n.nr);
}

/* Returns the percentage that is done; negative: no limit. */
static double done_share(const struct record *r, uint64_t bytes)
{
    double by_time = -1, by_size = -1;

    if (r->args->seconds)
        by_time = 100 * r->seconds / r->args->seconds;
    if (r->args->size)
        by_size = 100.0 * bytes / r->args->size;
    if (by_size > by_time)
        by_time = by_size;

    return by_time < 100 ? by_time : 100;
}

static void print_progress(const struct record *r)
{
    uint64_t bytes = xensched_recorder_bytes(r->recorder);

    fputs("\r", stderr);
    if (done_share(r, bytes) >= 0)
        fprintf(stderr, "%3.0f %%  ", done_share(r, bytes));
    print_numbers(r, bytes);
    fputs("\033[K", stderr);
}

static void save_snapshot(struct record *r, const char *file, int connection)
{
    struct xensched_error err;

    trigger_answer(connection, xensched_recorder_save(r->recorder, file, &err)
                               ? &err : NULL);
}

/* A copy of the recorder writes the file, so that rows do not wait for the disk. */
static void save_aside(struct record *r, const char *file, int connection)
{
    pid_t child = fork();

    if (!child) {
        save_snapshot(r, file, connection);
        _exit(0);
    }
    if (child < 0)
        save_snapshot(r, file, connection);
    else
        close(connection);
}

/* The recorder continues, whatever the result is. */
static void take_snapshot(struct record *r)
{
    struct xensched_error err;
    char file[PATH_MAX];
    int fd = r->trigger < 0 ? -1 : trigger_wanted(r->trigger, file);

    if (fd < 0)
        return;
    if (!strcmp(file, TRIGGER_STOP)) {
        r->stopped = true;
        trigger_answer(fd, NULL);
        return;
    }
    if (!r->args->ring) {
        xensched_fail(&err, EINVAL, "it writes to %s, and keeps nothing that "
                      "could be written to another file", r->name);
        trigger_answer(fd, &err);
        return;
    }
    save_aside(r, file, fd);
}

static bool is_done(const struct record *r)
{
    return r->stopped ||
           (r->args->seconds && r->seconds >= r->args->seconds) ||
           (r->args->size &&
            xensched_recorder_bytes(r->recorder) >= r->args->size);
}

/* Does what is due now, besides reading rows. */
static int look_for_sources(struct record *r, struct xensched_error *err)
{
    int rc = 0;

    r->seconds = now_ns() / 1e9 - r->begin;
    if (r->seconds >= r->next_host)
        rc = record_host(r, HOST_TIMEOUT_MS, err);
    if (!rc && r->seconds >= r->next_look) {
        r->next_look = r->seconds + LOOK_SECONDS;
        rc = recorded_sources_look(r->sources, r->recorder, now_ns(), err);
    }
    if (r->progress && r->seconds >= r->next_progress) {
        print_progress(r);
        r->next_progress = r->seconds + PROGRESS_SECONDS;
    }
    take_snapshot(r);

    return rc;
}

static int record_until_end(struct record *r, struct xensched_error *err)
{
    static const struct timespec pause = { .tv_nsec = PAUSE_NS };
    int rc = look_for_sources(r, err);
    bool last = false;

    /* A signal may come long after the last read: what was logged until then is wanted. */
    while (!rc && !last) {
        last = follow_stopped();
        rc = recorded_sources_read(r->sources, r->recorder, err);
        if (rc || is_done(r))
            break;
        rc = look_for_sources(r, err);
        if (!rc && !follow_stopped())
            nanosleep(&pause, NULL);
    }

    return rc;
}

/* When this returns 0, the file is complete. */
static int record_rows(struct record *r, struct xensched_error *err)
{
    struct xensched_error close_err;
    uint64_t bytes;
    int rc, close_rc;

    r->begin = now_ns() / 1e9;
    rc = record_until_end(r, err);
    if (!rc)
        rc = record_host_at_last(r, err);
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

static int open_recorder(struct record *r, struct xensched_error *err)
{
    const struct arguments *args = r->args;
    uint64_t khz = recorded_sources_tsc_khz(r->sources);
    int rc;

    if (args->ring || args->trigger) {
        rc = trigger_listen(args->trigger ? args->trigger
                                          : TRIGGER_DEFAULT_SOCKET, err);
        if (rc < 0)
            return rc;
        r->trigger = rc;
        /* The kernel removes a child that has written a snapshot. */
        signal(SIGCHLD, SIG_IGN);
    }
    if (!args->ring)
        return xensched_recorder_open(args->file, khz, xensched_time_stamp(),
                                      &r->recorder, err);

    return xensched_recorder_open_ring(args->ring, args->last, khz,
                                       xensched_time_stamp(), &r->recorder, err);
}

static void end_trigger(const struct record *r)
{
    if (r->trigger < 0)
        return;
    close(r->trigger);
    unlink(r->args->trigger ? r->args->trigger : TRIGGER_DEFAULT_SOCKET);
}

/* The other options are those of the recorder that writes the snapshot. */
static int run_snapshot(const struct arguments *args)
{
    if (!args->file || args->ring || args->last || args->size ||
        args->seconds || args->source || args->events || args->only)
        return arguments_wrong(&command_record, "record: --snapshot takes a "
                               "FILE, and no option but --trigger");

    return snapshot_write(args);
}

static int check_arguments(struct record *r)
{
    const struct arguments *args = r->args;

    if (!args->ring == !args->file)
        return arguments_wrong(&command_record, "record: either a FILE or "
                               "--ring, which 'xensched record --snapshot "
                               "FILE' writes to one");
    if (!args->ring && args->last)
        return arguments_wrong(&command_record, "record: --last is for "
                               "--ring");
    if (args->ring && args->size)
        return arguments_wrong(&command_record, "record: --size is for a FILE; --ring sets "
                               "the size of a ring");
    if (args->events && !filter_events(&r->filter, args->events))
        return arguments_wrong(&command_record, "record: --event '%s': not all of these are "
                               "names of events", args->events);

    return EXIT_OK;
}

static int run_record(const struct arguments *args)
{
    struct record r = {
        .args = args,
        .name = args->ring ? "ring" : args->file,
        .filter = { .name = args->only, .acct = -1, .domid = -1 },
        .progress = isatty(STDERR_FILENO),
        .trigger = -1,
    };
    struct xensched_error err;
    int rc;

    if (args->snapshot)
        return run_snapshot(args);
    rc = check_arguments(&r);
    if (rc)
        return rc;
    follow_catch_signals();
    client_join(args->socket);
    rc = recorded_sources_open(args->source, &r.filter, &r.sources, &err);
    if (!rc) {
        rc = open_recorder(&r, &err);
        if (!rc)
            rc = record_rows(&r, &err);
        end_trigger(&r);
        recorded_sources_close(r.sources);
    }
    filter_free(&r.filter);
    free(r.host);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_record = {
    .name = "record",
    .summary = "write the rows of this host's logs to a file",
    .help =
        "Write the rows that this host logs to FILE, until Ctrl-C or a limit: those of\n"
        "the hypervisor, of dom0's Linux, of driver domains, and of guests whose\n"
        "configuration allows it. An existing FILE is replaced. A running xenschedd\n"
        "decides which events are logged, and names the domains. With --ring, keep the\n"
        "latest rows in memory; 'xensched record --snapshot FILE' writes them.",
    .takes = ARGUMENT_SECONDS | ARGUMENT_SIZE | ARGUMENT_SOURCE |
             ARGUMENT_SOCKET | ARGUMENT_OPTIONAL_FILE | ARGUMENT_RING |
             ARGUMENT_FILTER | ARGUMENT_TRIGGER | ARGUMENT_SNAPSHOT,
    .run = run_record,
};
