/* SPDX-License-Identifier: GPL-2.0-only */
/* xensched dump: prints the rows of a recording, or a summary of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xensched/event.h>
#include <xensched/merge.h>
#include <xensched/order.h>
#include <xensched/recording.h>

#include "base/alloc.h"
#include "base/json.h"
#include "command/analysis/shown.h"
#include "command/command.h"
#include "timeline/rows/source-clocks.h"
#include "acct-names.h"
#include "follow.h"

/* The summary of dump --summary. */

struct summary {
    struct xensched_merge *merge;
    struct xensched_order *order;
    uint64_t first_ns, last_ns;
    uint64_t hosts; /* number of descriptions of the host */
    bool any;
};

static int read_all(struct summary *c, struct xensched_error *err)
{
    struct xensched_merged m;
    int rc;

    while ((rc = xensched_merge_next(c->merge, &m, err)) == 1) {
        xensched_order_take(c->order, c->merge, &m);
        c->hosts += m.what == XENSCHED_MERGED_HOST;
        if (m.what != XENSCHED_MERGED_ROW || m.error_ns == XENSCHED_NO_TIME)
            continue;
        if (!c->any)
            c->first_ns = m.time_ns;
        c->any = true;
        c->last_ns = m.time_ns;
    }

    return rc;
}

/* Only source 0 counts: rows of the others may be forged. */
static bool clock_went_back(const struct summary *c)
{
    struct xensched_merge_stats stats;

    xensched_merge_stats(c->merge, 0, &stats);

    return stats.backwards;
}

static json_object *source_json(const struct xensched_source_info *info,
                                const struct xensched_merge_stats *stats)
{
    json_object *json = json_object_new_object();

    json_add_int(json, "source", info->id);
    json_add_text(json, "kind", xensched_kind_name(info->kind));
    if (info->kind != XENSCHED_KIND_HYPERVISOR)
        json_add_int(json, "domid", info->domid);
    json_add_text(json, "name", info->name);
    json_add_int(json, "rows", stats->rows);
    json_add_int(json, "lost_rows", stats->lost_rows);
    json_add_int(json, "lost_bytes", stats->lost_bytes);
    json_add_int(json, "late_rows", stats->late);
    json_add_int(json, "untimed_rows", stats->untimed);
    json_add_int(json, "clocks", stats->clocks);
    json_add_int(json, "clock_error_ns", stats->error_ns);

    return json;
}

static void print_json(const struct summary *c,
                       const struct xensched_order_counts *order)
{
    json_object *json = json_object_new_object();
    json_object *sources = json_object_new_array();
    struct xensched_merge_stats stats;
    uint32_t id;

    json_add_int(json, "version", xensched_merge_header(c->merge)->version);
    json_add_int(json, "clock_went_back", clock_went_back(c));
    if (clock_went_back(c))
        json_object_object_add(json, "ns", NULL);
    else
        json_add_int(json, "ns", c->last_ns - c->first_ns);
    json_add_int(json, "hosts", c->hosts);
    for (id = 0; id < XENSCHED_MAX_SOURCES; id++) {
        const struct xensched_source_info *info =
            xensched_merge_source(c->merge, id);

        xensched_merge_stats(c->merge, id, &stats);
        if (info)
            json_object_array_add(sources, source_json(info, &stats));
    }
    json_object_object_add(json, "sources", sources);
    json_add_int(json, "ordered_pairs", order->pairs);
    json_add_int(json, "out_of_order", order->wrong);
    json_add_int(json, "out_of_order_worst_ns", order->worst_ns);
    puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
    json_object_put(json);
}

static void print_text(const struct summary *c,
                       const struct xensched_order_counts *order)
{
    struct xensched_merge_stats stats;
    uint32_t id;

    printf("%6s %-10s %6s %-20s %10s %8s %6s %12s\n", "SOURCE", "KIND", "DOMID",
           "NAME", "ROWS", "LOST", "LATE", "CLOCK +- NS");
    for (id = 0; id < XENSCHED_MAX_SOURCES; id++) {
        const struct xensched_source_info *info =
            xensched_merge_source(c->merge, id);

        if (!info)
            continue;
        xensched_merge_stats(c->merge, id, &stats);
        printf("%6u %-10s ", id, xensched_kind_name(info->kind));
        if (info->kind == XENSCHED_KIND_HYPERVISOR)
            printf("%6s", "-");
        else
            printf("%6u", info->domid);
        printf(" %-20s %10" PRIu64 " %8" PRIu64 " %6" PRIu64 " %12" PRIu64
               "\n", shown_name(info->name), stats.rows, stats.lost_rows, stats.late,
               stats.error_ns);
    }
    if (clock_went_back(c))
        printf("unknown length: the host's clock went back, as when a host was "
               "suspended");
    else
        printf("%.3f s", (c->last_ns - c->first_ns) / 1e9);
    printf("; of %" PRIu64 " responses and notifications that have to come in "
           "order %" PRIu64 " do not", order->pairs, order->wrong);
    if (order->wrong)
        printf(", by %" PRIu64 " ns at most", order->worst_ns);
    printf("\n");
}

static int print_summary(const struct arguments *args)
{
    struct summary c = { .order = xensched_order_new() };
    struct xensched_order_counts order;
    struct xensched_error err;
    int rc;

    if (!c.order)
        rc = xensched_fail(&err, ENOMEM, "out of memory");
    else
        rc = xensched_merge_open(args->file, &c.merge, &err);
    if (!rc) {
        rc = read_all(&c, &err);
        xensched_order_counts(c.order, &order);
        if (args->json)
            print_json(&c, &order);
        else
            print_text(&c, &order);
    }
    xensched_merge_close(c.merge);
    xensched_order_free(c.order);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

/* Length of any number in a column, and of words like "none". */
#define WORD_SIZE 32

#define COLUMNS "%20s %4s %-12s %15s %15s %12s"

/* Seconds between two questions to xenschedd, and after one without an answer. */
#define ASK_SECONDS 1.0
#define NOT_ASK_SECONDS 10.0

struct dump {
    struct follow follow;
    struct acct_names *names;
    const char *socket; /* of the daemon that names domains, or NULL */
    double next_asked;  /* seconds since the beginning */
    uint64_t tsc_khz;
    struct stamps stamps; /* of the host */
    struct source_clocks *clocks; /* [XENSCHED_MAX_SOURCES], of a recording */
    uint32_t source; /* of the rows that are printed */
    const struct xensched_source_info *info; /* of the source, or NULL */
    bool json;
};

enum time_kind { TIME_NONE, TIME_SECONDS, TIME_TSC, TIME_TICK, TIME_VIRTUAL };

static bool is_tick(const struct xensched_layout *layout)
{
    return (layout->lcr & XEN_SCHEDLOG_LCR_TIME_MASK) ==
           XEN_SCHEDLOG_LCR_TIME_TICK;
}

/* Writes the printed time stamp of @row to @text. */
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
    cycles = d->source ? source_clocks_cycles(&d->clocks[d->source], row->cpu,
                                              layout, row)
                       : stamp_cycles(&d->stamps, layout, row);
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

static const char *acct_of(const struct dump *d, unsigned int valid,
                           uint16_t acct)
{
    if (!valid)
        return "-";
    /* Rows of a guest have domids, because it does not know accounting domains of others. */
    if (d->info && d->info->kind == XENSCHED_KIND_GUEST)
        return acct_names_of_domain(d->names, acct);

    return acct_names_of(d->names, acct);
}

/* Does the row have the counter of this event? */
static bool counts(const struct xensched_row *row, unsigned int event)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_COUNTER;

    return (row->valid & needed) == needed && row->event == event;
}

/* Explains the counter, after its number. */
static void print_off_cpu(uint64_t counter)
{
    struct xensched_off_cpu off;

    xensched_off_cpu(counter, &off);
    printf(" %s%s%s for %s%" PRIu64 ".%03u us", off.left ? off.left : "unknown",
           off.capped ? ", capped" : "", off.paused ? ", paused" : "",
           off.long_ns ? "at least " : "", off.ns / 1000, (unsigned int)(off.ns % 1000));
    if (off.woke)
        printf(", woken by %s", off.woke);
}

static void print_json_off_cpu(uint64_t counter)
{
    struct xensched_off_cpu off;

    xensched_off_cpu(counter, &off);
    if (off.left)
        printf(",\"left\":\"%s\"", off.left);
    if (off.woke)
        printf(",\"woke\":\"%s\"", off.woke);
    printf(",\"capped\":%s,\"paused\":%s,\"off_ns\":%" PRIu64 ",\"at_least\":%s",
           off.capped ? "true" : "false", off.paused ? "true" : "false", off.ns,
           off.long_ns ? "true" : "false");
}

static void print_replenish(uint64_t counter)
{
    struct xensched_replenish replenish;

    xensched_replenish(counter, &replenish);
    printf(" %" PRIu64 ".%03u us left%s", replenish.left_ns / 1000,
           (unsigned int)(replenish.left_ns % 1000),
           replenish.missed ? ", deadline missed" : "");
}

static void print_json_replenish(uint64_t counter)
{
    struct xensched_replenish replenish;

    xensched_replenish(counter, &replenish);
    printf(",\"left_ns\":%" PRIu64 ",\"missed\":%s", replenish.left_ns,
           replenish.missed ? "true" : "false");
}

/* Rows of other events in such a log have 0 there. */
static bool has_reason(const struct xensched_row *row)
{
    return row->valid & XENSCHED_ROW_REASON &&
           (row->event == XEN_SCHEDLOG_EV_WAKE_DELAY ||
            row->event == XEN_SCHEDLOG_EV_PREEMPT_DELAY);
}

static void print_reason(const struct xensched_row *row)
{
    struct xensched_reason reason;

    xensched_reason(row->reason, &reason);
    printf(" %s%s%s", reason.left ? reason.left : "unknown",
           reason.capped ? ", capped" : "", reason.paused ? ", paused" : "");
    if (reason.woke)
        printf(", woken by %s", reason.woke);
    if (reason.cut)
        printf(", did not run");
}

static void print_json_reason(const struct xensched_row *row)
{
    struct xensched_reason reason;

    xensched_reason(row->reason, &reason);
    if (reason.left)
        printf(",\"left\":\"%s\"", reason.left);
    if (reason.woke)
        printf(",\"woke\":\"%s\"", reason.woke);
    printf(",\"capped\":%s,\"paused\":%s,\"ran\":%s", reason.capped ? "true" : "false",
           reason.paused ? "true" : "false", reason.cut ? "false" : "true");
}

static bool is_work(const struct xensched_row *row)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_COUNTER;

    return (row->valid & needed) == needed && xensched_is_work(row->event);
}

static void print_work(const struct xensched_row *row)
{
    struct xensched_work work;

    xensched_work(row->event, row->counter, &work);
    if (work.reason)
        printf(" %s", work.reason);
    else
        printf(" reason %u", work.number);
    printf(" %" PRIu64 " times, %" PRIu64 ".%03u us", work.times, work.ns / 1000,
           (unsigned int)(work.ns % 1000));
}

static void print_json_work(const struct xensched_row *row)
{
    struct xensched_work work;

    xensched_work(row->event, row->counter, &work);
    printf(",\"reason\":%u", work.number);
    if (work.reason)
        printf(",\"reason_name\":\"%s\"", work.reason);
    printf(",\"times\":%" PRIu64 ",\"ns\":%" PRIu64, work.times, work.ns);
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
    if (counts(row, XEN_SCHEDLOG_EV_OFF_CPU))
        print_off_cpu(row->counter);
    if (counts(row, XEN_SCHEDLOG_EV_REPLENISH))
        print_replenish(row->counter);
    if (has_reason(row))
        print_reason(row);
    if (is_work(row))
        print_work(row);
    if (d->info && d->info->kind != XENSCHED_KIND_HYPERVISOR)
        printf(" %s %s", xensched_kind_name(d->info->kind),
               shown_name(d->info->name));
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
    if (counts(row, XEN_SCHEDLOG_EV_OFF_CPU))
        print_json_off_cpu(row->counter);
    if (counts(row, XEN_SCHEDLOG_EV_REPLENISH))
        print_json_replenish(row->counter);
    if (has_reason(row))
        print_json_reason(row);
    if (is_work(row))
        print_json_work(row);
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
        printf("# %s %u, log buffer %u: %" PRIu64 " rows (%" PRIu64
               " bytes) lost here\n", batch->source ? "vCPU" : "pCPU",
               batch->cpu, batch->file,
               batch->lost_rows, batch->lost_bytes);
}

static int output_failed(struct xensched_error *err)
{
    return xensched_fail(err, errno ? errno : EIO, "cannot write the rows: "
                         "%s", strerror(errno ? errno : EIO));
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

/* Live rows appear at once, even if they do not fill a buffer. */
static int on_idle(void *data, double seconds, struct xensched_error *err)
{
    ask_for_names(data, seconds);
    errno = 0;

    return fflush(stdout) ? output_failed(err) : FOLLOW_ON;
}

/* A pipe cannot be read twice: the upper bits of its first small stamps stay unknown. */
static void learn_from_recording(struct dump *d, const char *file)
{
    struct xensched_source *source;
    struct stat st;
    char *spec;

    if (stat(file, &st) || !S_ISREG(st.st_mode) ||
        asprintf(&spec, "recording:%s", file) < 0)
        return;
    if (!xensched_source_open(spec, NULL, &source, NULL)) {
        stamps_learn_from_source(&d->stamps, source);
        xensched_source_close(source);
    }
    free(spec);
}

static int take_rows(struct dump *d, const struct xensched_recording *recording,
                     const struct xensched_batch *batch,
                     struct xensched_error *err)
{
    int rc;

    d->source = batch->source % XENSCHED_MAX_SOURCES;
    d->info = xensched_recording_source(recording, d->source);
    source_clocks_know_time(&d->clocks[d->source], batch->cpu, &d->stamps);
    rc = take_batch(d, batch, err);

    return rc == FOLLOW_ON ? 0 : rc;
}

static int take_record(struct dump *d, const struct xensched_recording *recording,
                       const struct xensched_record *record,
                       struct xensched_error *err)
{
    const char *text;
    size_t length;

    switch (record->what) {
    case XENSCHED_RECORDED_ROWS:
        return take_rows(d, recording, &record->batch, err);
    case XENSCHED_RECORDED_HOST:
        xensched_recording_host(recording, &text, &length);
        acct_names_learn(d->names, text, length);
        return 0;
    case XENSCHED_RECORDED_CLOCK:
        source_clocks_learn(&d->clocks[record->source % XENSCHED_MAX_SOURCES],
                            &record->clock);
        return 0;
    default:
        return 0;
    }
}

static void print_header(const struct dump *d, const char *more)
{
    if (!d->json)
        printf(COLUMNS "%s\n", "time", "cpu", "event", "current",
               "correspondent", "counter", more);
}

static int dump_recording(struct dump *d, const char *file,
                          struct xensched_error *err)
{
    struct xensched_recording *recording;
    struct xensched_record record;
    unsigned int i;
    int rc = xensched_recording_open(file, &recording, err);

    if (rc)
        return rc;
    learn_from_recording(d, file);
    d->tsc_khz = xensched_recording_tsc_khz(recording);
    d->clocks = need_memory(XENSCHED_MAX_SOURCES, sizeof(*d->clocks));
    print_header(d, " source");
    while ((rc = xensched_recording_read(recording, &record, err)) > 0) {
        rc = take_record(d, recording, &record, err);
        if (rc)
            break;
    }
    for (i = 0; i < XENSCHED_MAX_SOURCES; i++)
        source_clocks_free(&d->clocks[i]);
    free(d->clocks);
    xensched_recording_close(recording);

    return rc;
}

static int dump_live(struct dump *d, const struct arguments *args,
                     struct xensched_error *err)
{
    int rc;

    follow_catch_signals();
    rc = follow_open_live(&d->follow, follow_source(args), err);
    if (rc)
        return rc;
    stamps_learn_from_area(&d->stamps, d->follow.area);
    ask_for_names(d, 0);
    d->tsc_khz = xensched_source_tsc_khz(d->follow.source);
    print_header(d, "");
    rc = follow_run(&d->follow, err);
    follow_close(&d->follow);

    return rc;
}

static int run_dump(const struct arguments *args)
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
    if (args->summary && !args->file)
        return arguments_wrong(&command_dump, "dump: --summary needs a FILE");
    if (args->summary)
        return print_summary(args);

    d.names = acct_names_new();
    rc = args->file ? dump_recording(&d, args->file, &err)
                    : dump_live(&d, args, &err);
    acct_names_free(d.names);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_dump = {
    .name = "dump",
    .summary = "print rows, or a summary, of a recording or of this host",
    .help =
        "Print the rows of the recording FILE; without FILE, those that this host logs\n"
        "from now on, until Ctrl-C. Rows of one pCPU and log buffer are in order, rows\n"
        "of several are not. Domains have names, if the recording or xenschedd has\n"
        "them, otherwise the number that 'xensched status' prints as ACCT. With --json,\n"
        "each row is an object on its own line, and domains are numbers. Numbers in\n"
        "rows of a guest are domids. The last column names the Linux, driver domain or\n"
        "guest that wrote the row; rows of the hypervisor have none.",
    .takes = ARGUMENT_SOCKET | ARGUMENT_JSON | ARGUMENT_SECONDS | ARGUMENT_SOURCE |
             ARGUMENT_OPTIONAL_FILE | ARGUMENT_SUMMARY,
    .run = run_dump,
};
