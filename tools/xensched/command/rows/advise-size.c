/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched advise-size: computes how large log buffers have to be, from the rows that arrive per
 * interval (5.3.1 of the thesis).
 *
 * It reads without consuming: the daemon and other readers lose nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <xensched/event.h>

#include "daemon/log/logs.h"
#include "command/command.h"
#include "follow.h"
#include "intervals.h"
#include "command/text/table.h"

#define NS_PER_MS UINT64_C(1000000)

/* The poll interval of the thesis' scheduler. */
#define DEFAULT_INTERVAL_MS 20

/* xenschedd's --interval, if not given. */
#define DAEMON_INTERVAL_MS 100

/*
 * The factor by which a log buffer is larger than needed: its reader may miss one poll, or the load
 * may double.
 */
#define SAFETY 2

#define PROGRESS_SECONDS 0.5

struct advise {
    struct follow follow;
    struct intervals in;
    uint64_t interval_ms;
    bool json;
    bool progress;
    double next_progress; /* seconds since the beginning */
    double seconds;       /* of a live source: now, since the beginning */
};

/* The demand of one log buffer, on the pCPU where it is greatest. */
struct log_demand {
    uint32_t row_size;
    bool lower_bound;
    uint32_t events; /* mask, without INTERVALS_NO_EVENT */
    uint64_t lost_rows;
    uint64_t most[INTERVALS_READERS];
};

static int take_batch(void *data, const struct xensched_batch *batch,
                      struct xensched_error *err)
{
    struct advise *a = data;

    (void)err;
    intervals_take(&a->in, batch);

    return FOLLOW_ON;
}

static int on_idle(void *data, double seconds, struct xensched_error *err)
{
    struct advise *a = data;

    (void)err;
    a->seconds = seconds;
    if (a->progress && seconds >= a->next_progress) {
        fprintf(stderr, "\r%.1f s, %" PRIu64 " rows, %" PRIu64 " lost\033[K",
                seconds, a->in.rows, a->in.lost_rows);
        a->next_progress = seconds + PROGRESS_SECONDS;
    }

    return FOLLOW_ON;
}

static double number_of_intervals(const struct advise *a)
{
    double n = a->seconds * 1000 / a->interval_ms;

    return a->seconds ? (n > 1 ? n : 1) : intervals_number(&a->in);
}

static const char *event_name(unsigned int event)
{
    return xensched_event_name(event) ?: "-";
}

/* Returns false if there is no such log buffer. */
static bool demand_of(const struct advise *a, uint32_t file,
                      struct log_demand *d)
{
    bool found = false;
    size_t i, j;

    memset(d, 0, sizeof(*d));
    for (i = 0; i < a->in.nr_logs; i++) {
        const struct interval_log *log = a->in.logs[i];

        if (log->file != file)
            continue;
        found = true;
        d->lost_rows += log->lost_rows;
        d->lower_bound |= log->lost_bytes > 0;
        if (log->row_size > d->row_size)
            d->row_size = log->row_size;
        for (j = 0; j < INTERVALS_NO_EVENT; j++)
            d->events |= log->events[j].rows ? 1U << j : 0;
        for (j = 0; j < a->in.nr_readers; j++)
            if (log->most[j] > d->most[j])
                d->most[j] = log->most[j];
    }

    return found;
}

/* One more row: the one that is being written cannot be read. */
static uint64_t size_for(const struct log_demand *d, unsigned int reader)
{
    uint64_t size = XEN_SCHEDLOG_MIN_FILE_SIZE;

    while (size < SAFETY * d->most[reader] + d->row_size)
        size *= 2;

    return size;
}

static uint32_t last_file(const struct advise *a)
{
    uint32_t last = 0;
    size_t i;

    for (i = 0; i < a->in.nr_logs; i++)
        if (a->in.logs[i]->file > last)
            last = a->in.logs[i]->file;

    return last;
}

static void print_rates(const struct advise *a)
{
    static const char *const headers[] = {
        "EVENT", ">LOG", ">PCPU", ">ROWS", ">MEAN", ">MOST", NULL,
    };
    struct table *table = table_new(headers);
    double n = number_of_intervals(a);
    unsigned int event;
    size_t i;

    for (event = 0; event <= INTERVALS_NO_EVENT; event++)
        for (i = 0; i < a->in.nr_logs; i++) {
            const struct interval_log *log = a->in.logs[i];
            const struct interval_event *e = &log->events[event];

            if (!e->rows)
                continue;
            table_add(table, event_name(event));
            table_add_format(table, "%u", log->file);
            table_add_format(table, "%u", log->cpu);
            table_add_format(table, "%" PRIu64, e->rows);
            table_add_format(table, "%.1f", e->rows / n);
            table_add_format(table, "%" PRIu64, e->most);
        }
    table_print(table);
}

static void add_size(struct table *table, const struct log_demand *d,
                     unsigned int reader)
{
    uint64_t size = size_for(d, reader);
    const char *about = d->lower_bound ? "over " : "";

    if (size < 1024)
        table_add_format(table, "%s%" PRIu64 " B", about, size);
    else
        table_add_format(table, "%s%" PRIu64 " KiB", about, size / 1024);
}

static void add_events(struct table *table, uint32_t events)
{
    char text[XEN_SCHEDLOG_NR_EVENTS * 16] = "";
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events & 1U << i)
            snprintf(text + strlen(text), sizeof(text) - strlen(text),
                     "%s%s", *text ? " " : "", event_name(i));
    table_add(table, *text ? text : "-");
}

static void print_sizes(const struct advise *a)
{
    char sizes[INTERVALS_READERS][32];
    const char *headers[INTERVALS_READERS + 5] = {
        "EVENTS", ">LOG", ">ROW", ">LOST",
    };
    struct table *table;
    struct log_demand d;
    uint32_t file;
    unsigned int i;

    for (i = 0; i < a->in.nr_readers; i++) {
        snprintf(sizes[i], sizeof(sizes[i]), ">READ EVERY %" PRIu64 " ms",
                 a->in.reader_ns[i] / NS_PER_MS);
        headers[4 + i] = sizes[i];
    }
    table = table_new(headers);
    for (file = 0; file <= last_file(a); file++) {
        if (!demand_of(a, file, &d))
            continue;
        add_events(table, d.events);
        table_add_format(table, "%u", file);
        table_add_format(table, "%u B", d.row_size);
        table_add_format(table, "%" PRIu64, d.lost_rows);
        for (i = 0; i < a->in.nr_readers; i++)
            add_size(table, &d, i);
    }
    table_print(table);
}

/* xenschedd's configuration has no events without a log buffer. */
static uint32_t settable_events(const struct log_demand *d)
{
    return d->events & choice_possible();
}

static void print_setting(const struct log_demand *d, uint64_t size,
                          const char **before)
{
    unsigned int i;

    if (size > XEN_SCHEDLOG_MAX_FILE_SIZE)
        size = XEN_SCHEDLOG_MAX_FILE_SIZE;
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++) {
        if (!(settable_events(d) & 1U << i))
            continue;
        printf("%s\"%s:%" PRIu64 "%s\"", *before, event_name(i),
               size < 1024 ? size : size / 1024, size < 1024 ? "" : "K");
        *before = ",\n              ";
    }
}

/* Prints the sizes for a reader with xenschedd's interval, the last one. */
static void print_configuration(const struct advise *a)
{
    const char *before = "\nfor xensched.conf(5):\nlog_sizes = [ ";
    struct log_demand d;
    uint32_t file;
    bool any = false;

    for (file = 0; file <= last_file(a); file++)
        if (demand_of(a, file, &d) && settable_events(&d)) {
            print_setting(&d, size_for(&d, a->in.nr_readers - 1), &before);
            any = true;
        }
    if (any)
        printf(" ]\n");
}

static void print_text(const struct advise *a)
{
    double n = number_of_intervals(a);

    printf("%.1f s, %.0f intervals of %" PRIu64 " ms, %" PRIu64 " rows, %"
           PRIu64 " lost\n", n * a->interval_ms / 1000, n, a->interval_ms,
           a->in.rows, a->in.lost_rows);
    if (!a->in.nr_logs)
        return;
    printf("\nrows per interval:\n");
    print_rates(a);
    printf("\nsizes of each pCPU's log buffers, with a safety factor of %u, by the "
           "reader's\ninterval:\n", SAFETY);
    print_sizes(a);
    if (a->in.lost_bytes)
        printf("\nRows were lost: a size with 'over' is a lower bound. Have a "
               "larger log buffer, and\nmeasure again.\n");
    print_configuration(a);
}

static void put_number(struct json_object *object, const char *name,
                       struct json_object *value)
{
    json_object_object_add(object, name, value);
}

static struct json_object *number_json(double value, const char *format)
{
    char text[64];

    snprintf(text, sizeof(text), format, value);

    return json_object_new_double_s(value, text);
}

static struct json_object *events_json(const struct advise *a)
{
    struct json_object *list = json_object_new_array();
    double n = number_of_intervals(a);
    unsigned int event;
    size_t i;

    for (event = 0; event <= INTERVALS_NO_EVENT; event++)
        for (i = 0; i < a->in.nr_logs; i++) {
            const struct interval_log *log = a->in.logs[i];
            const struct interval_event *e = &log->events[event];
            struct json_object *object;

            if (!e->rows)
                continue;
            object = json_object_new_object();
            put_number(object, "event", json_object_new_string(event_name(event)));
            put_number(object, "log", json_object_new_int64(log->file));
            put_number(object, "cpu", json_object_new_int64(log->cpu));
            put_number(object, "rows", json_object_new_int64(e->rows));
            put_number(object, "mean", number_json(e->rows / n, "%.3f"));
            put_number(object, "most", json_object_new_int64(e->most));
            json_object_array_add(list, object);
        }

    return list;
}

static struct json_object *readers_json(const struct advise *a,
                                        const struct log_demand *d)
{
    struct json_object *list = json_object_new_array();
    unsigned int i;

    for (i = 0; i < a->in.nr_readers; i++) {
        struct json_object *object = json_object_new_object();

        put_number(object, "interval_ms",
                   json_object_new_int64(a->in.reader_ns[i] / NS_PER_MS));
        put_number(object, "most_bytes", json_object_new_int64(d->most[i]));
        put_number(object, "size_bytes", json_object_new_int64(size_for(d, i)));
        json_object_array_add(list, object);
    }

    return list;
}

static struct json_object *names_json(uint32_t events)
{
    struct json_object *list = json_object_new_array();
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events & 1U << i)
            json_object_array_add(list,
                                  json_object_new_string(event_name(i)));

    return list;
}

static struct json_object *logs_json(const struct advise *a)
{
    struct json_object *list = json_object_new_array();
    struct log_demand d;
    uint32_t file;

    for (file = 0; a->in.nr_logs && file <= last_file(a); file++) {
        struct json_object *object;

        if (!demand_of(a, file, &d))
            continue;
        object = json_object_new_object();
        put_number(object, "log", json_object_new_int64(file));
        put_number(object, "row_bytes", json_object_new_int64(d.row_size));
        put_number(object, "lost_rows", json_object_new_int64(d.lost_rows));
        put_number(object, "lower_bound", json_object_new_boolean(d.lower_bound));
        put_number(object, "events", names_json(d.events));
        put_number(object, "readers", readers_json(a, &d));
        json_object_array_add(list, object);
    }

    return list;
}

static void print_json(const struct advise *a)
{
    struct json_object *o = json_object_new_object();
    double n = number_of_intervals(a);

    put_number(o, "seconds", number_json(n * a->interval_ms / 1000, "%.3f"));
    put_number(o, "interval_ms", json_object_new_int64(a->interval_ms));
    put_number(o, "intervals", number_json(n, "%.1f"));
    put_number(o, "rows", json_object_new_int64(a->in.rows));
    put_number(o, "lost_rows", json_object_new_int64(a->in.lost_rows));
    put_number(o, "safety_factor", json_object_new_int64(SAFETY));
    put_number(o, "events", events_json(a));
    put_number(o, "logs", logs_json(a));
    puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
    json_object_put(o);
}

static int follow_rows(struct advise *a, struct xensched_error *err)
{
    int rc;

    intervals_init(&a->in, a->interval_ms * NS_PER_MS,
                   xensched_source_tsc_khz(a->follow.source));
    intervals_add_reader(&a->in, a->interval_ms * NS_PER_MS);
    if (a->interval_ms != DAEMON_INTERVAL_MS)
        intervals_add_reader(&a->in, DAEMON_INTERVAL_MS * NS_PER_MS);
    rc = follow_run(&a->follow, err);
    if (a->progress)
        fputs("\r\033[K", stderr);
    if (!rc && a->json)
        print_json(a);
    else if (!rc)
        print_text(a);
    intervals_free(&a->in);

    return rc;
}

static int run_advise_size(const struct arguments *args)
{
    struct advise a = {
        .follow = {
            .seconds = args->seconds,
            .take = take_batch,
            .idle = on_idle,
            .data = &a,
        },
        .interval_ms = args->interval_ms ?: DEFAULT_INTERVAL_MS,
        .json = args->json,
        .progress = isatty(STDERR_FILENO),
    };
    struct xensched_error err;
    int rc;

    if (args->seconds && args->source &&
        !strncmp(args->source, "recording:", 10))
        return arguments_wrong(&command_advise_size, "advise-size: --seconds "
                               "is for live rows, not for a recording");

    follow_catch_signals();
    rc = follow_open(&a.follow, follow_source(args), &err);
    if (!rc) {
        rc = follow_rows(&a, &err);
        follow_close(&a.follow);
    }
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_advise_size = {
    .name = "advise-size",
    .summary = "measure which log sizes this host needs",
    .help =
        "Count rows per interval, until Ctrl-C or the limit. Print their mean and\n"
        "maximum for each event and pCPU, and the sizes of log buffers with which a\n"
        "reader loses none: one that reads every interval (20 ms by default), and\n"
        "xenschedd, which reads every 100 ms. Run it under the highest load. xenschedd\n"
        "decides which events are logged.",
    .takes = ARGUMENT_JSON | ARGUMENT_SECONDS | ARGUMENT_INTERVAL |
             ARGUMENT_SOURCE,
    .run = run_advise_size,
};
