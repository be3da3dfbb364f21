/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched roi: shows what happened between a guest's marks, each time, in a recording.
 */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "command/command.h"
#include "command/text/table.h"
#include "base/json.h"
#include "shown.h"
#include "timeline/roi/roi.h"

/* Width of a histogram's bar. */
#define WIDTH 40U

static const struct shown_quantile quantiles[] = {
    { "p50", 0.5 }, { "p99", 0.99 }, { "max", 1 },
};

#define NR_QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

struct shown_roi {
    const struct timeline *t;
    struct regions regions;
    struct roi roi;
};

/* JSON. */

static json_object *histogram_json(const struct roi_kind *kind)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < ROI_BUCKETS; i++) {
        json_object *o;

        if (!kind->bucket[i])
            continue;
        o = json_object_new_object();
        json_add_int(o, "from_ns", i ? 1ULL << i : 0);
        json_add_int(o, "below_ns", 1ULL << (i + 1));
        json_add_int(o, "n", kind->bucket[i]);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *traffic_json(const struct timeline *t,
                                 const struct roi_kind *kind)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < kind->nr_partners; i++) {
        json_object *o = json_object_new_object();

        json_add_text(o, "with",
                      names_of(&t->rows.names, kind->partner[i].acct));
        json_add_int(o, "acct", kind->partner[i].acct);
        json_add_int(o, "sent", kind->partner[i].sent);
        json_add_int(o, "received", kind->partner[i].received);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *kind_json(const struct shown_roi *s, size_t index)
{
    const struct region_kind *kind = &s->regions.kind[index];
    const struct roi_kind *roi = &s->roi.kind[index];
    json_object *o = json_object_new_object();
    unsigned int i;

    json_add_text(o, "domain", names_of(&s->t->rows.names, kind->acct));
    json_add_int(o, "acct", kind->acct);
    json_add_text(o, "name", kind->name);
    json_add_int(o, "regions", kind->nr);
    json_add_int(o, "measured", roi->value[ROI_WALL].nr);
    json_add_int(o, "not_whole", kind->broken);
    json_add_int(o, "moved", kind->moved);
    json_add_int(o, "unended", kind->unended);
    json_add_int(o, "unbegun", kind->unbegun);
    for (i = 0; i < ROI_VALUES; i++)
        json_object_object_add(o, roi_value_name[i],
                               shown_quantiles(&roi->value[i], quantiles, NR_QUANTILES));
    json_object_object_add(o, "histogram", histogram_json(roi));
    json_object_object_add(o, "traffic", traffic_json(s->t, roi));

    return o;
}

static json_object *interval_json(const struct shown_roi *s,
                                  const struct roi_interval *interval)
{
    const struct region *region = interval->region;
    json_object *o = json_object_new_object();
    unsigned int i;

    json_add_int(o, "kind", region->kind);
    json_add_int(o, "begin_ns", region->begin);
    json_add_int(o, "end_ns", region->end);
    if (region->lane != STAY_NONE)
        json_add_text(o, "vcpu", timeline_vcpu_name(s->t, region->lane));
    json_add_bool(o, "whole", region->whole);
    json_add_bool(o, "moved", region->moved);
    for (i = 0; i < ROI_VALUES; i++)
        json_add_int(o, roi_value_name[i], interval->value[i]);

    return o;
}

static void print_json(const struct shown_roi *s)
{
    json_object *o = json_object_new_object();
    json_object *kinds = json_object_new_array();
    json_object *intervals = json_object_new_array();
    size_t i;

    for (i = 0; i < s->regions.nr_kinds; i++)
        json_object_array_add(kinds, kind_json(s, i));
    for (i = 0; i < s->regions.nr; i++)
        json_object_array_add(intervals,
                              interval_json(s, &s->roi.interval[i]));
    json_add_int(o, "begin_ns", s->t->rows.begin_ns);
    shown_add_error(o, s->t);
    json_add_int(o, "lost_rows", s->t->rows.lost_rows);
    json_add_int(o, "broken_marks", s->t->marks.broken);
    json_object_object_add(o, "kinds", kinds);
    json_object_object_add(o, "intervals", intervals);
    json_print(o);
}

/* Text. */

static void add_kind(struct table *table, const struct shown_roi *s,
                     size_t index)
{
    static const enum roi_value parts[] = {
        ROI_RUNNING, ROI_RUNNABLE, ROI_BLOCKED, ROI_UNKNOWN, ROI_WAKE_DELAY,
    };
    const struct region_kind *kind = &s->regions.kind[index];
    const struct latency_values *value = s->roi.kind[index].value;
    size_t i;

    table_add(table, shown_name(names_of(&s->t->rows.names, kind->acct)));
    table_add(table, shown_name(kind->name));
    table_add_format(table, "%" PRIu64, value[ROI_WALL].nr);
    for (i = 0; i < NR_QUANTILES; i++)
        table_add(table, value->nr
                  ? shown_length(latency_quantile(&value[ROI_WALL],
                                                  quantiles[i].part)) : "-");
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        table_add(table, value->nr
                  ? shown_length(latency_quantile(&value[parts[i]], 0.5))
                  : "-");
    for (i = ROI_MIGRATIONS; i < ROI_VALUES; i++)
        table_add_format(table, "%" PRIu64, latency_quantile(&value[i], 0.5));
}

static void print_table(const struct shown_roi *s)
{
    static const char *const headers[] = {
        "DOMAIN", "REGION", ">TIMES", ">P50", ">P99", ">MAX", ">RUNNING",
        ">RUNNABLE", ">BLOCKED", ">UNKNOWN", ">WAKE", ">MOVES", ">SENT",
        ">GOT", NULL,
    };
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; i < s->regions.nr_kinds; i++)
        add_kind(table, s, i);
    table_print(table);
}

static void print_histogram(const struct roi_kind *kind)
{
    uint64_t most = 1;
    unsigned int i, first = ROI_BUCKETS, last = 0, n;

    for (i = 0; i < ROI_BUCKETS; i++)
        if (kind->bucket[i]) {
            most = kind->bucket[i] > most ? kind->bucket[i] : most;
            first = first == ROI_BUCKETS ? i : first;
            last = i;
        }
    for (i = first; i <= last && i < ROI_BUCKETS; i++) {
        printf("  from %9s %8" PRIu64 " ", shown_length(1ULL << i),
               kind->bucket[i]);
        for (n = (kind->bucket[i] * WIDTH + most - 1) / most; n; n--)
            putchar('#');
        putchar('\n');
    }
}

static void print_traffic(const struct timeline *t,
                          const struct roi_kind *kind, uint64_t nr)
{
    unsigned int i;

    for (i = 0; i < kind->nr_partners; i++)
        printf("  with %s: sent %.1f, received %.1f each time\n",
               shown_name(names_of(&t->rows.names, kind->partner[i].acct)),
               1.0 * kind->partner[i].sent / nr,
               1.0 * kind->partner[i].received / nr);
}

static uint64_t sum_of(const struct latency_values *values)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < values->nr; i++)
        sum += values->ns[i];

    return sum;
}

/* Returns why it is unknown whether a vCPU ran; NULL: print_doubts() prints the reason. */
static const char *why_unknown(const struct rows *rows,
                               const struct region_kind *kind)
{
    if (!(rows->events & 1U << XEN_SCHEDLOG_EV_SERVICE_NS))
        return "service-ns is not logged (xenschedd --log)";
    if (!(rows->events & 1U << XEN_SCHEDLOG_EV_WAKE_DELAY))
        return "wake-delay, which separates waiting from sleep, is not logged "
               "(xenschedd --log)";

    return kind->moved ? NULL : "by the rows it is not sure what the vCPU did, "
                                "or which vCPU it was";
}

static void print_unknown(const struct rows *rows,
                          const struct region_kind *kind,
                          const struct roi_kind *roi)
{
    uint64_t unknown = sum_of(&roi->value[ROI_UNKNOWN]);
    uint64_t wall = sum_of(&roi->value[ROI_WALL]);
    const char *why = why_unknown(rows, kind);

    if (unknown && why)
        printf("  %.1f %% of their time is UNKNOWN: %s\n",
               100.0 * unknown / wall, why);
}

/* Prints what the table above leaves out, and why. */
static void print_doubts(const struct region_kind *kind)
{
    if (kind->unended)
        printf("  marks without their end: %" PRIu64 "\n", kind->unended);
    if (kind->unbegun)
        printf("  ends without their begin: %" PRIu64 "\n", kind->unbegun);
    if (kind->broken)
        printf("  not whole, as rows were lost in them, and left out: %" PRIu64
               "\n", kind->broken);
    if (kind->moved)
        printf("  ended on another vCPU than they began on: %" PRIu64
               "; what a vCPU did in them is unknown\n", kind->moved);
}

static void print_text(const struct shown_roi *s)
{
    size_t i;

    print_table(s);
    for (i = 0; i < s->regions.nr_kinds; i++) {
        const struct region_kind *kind = &s->regions.kind[i];
        const struct roi_kind *roi = &s->roi.kind[i];

        printf("\n%s, %s:\n",
               shown_name(names_of(&s->t->rows.names, kind->acct)),
               shown_name(kind->name));
        print_histogram(roi);
        print_traffic(s->t, roi, roi->value[ROI_WALL].nr);
        print_unknown(&s->t->rows, kind, roi);
        print_doubts(kind);
    }
    printf("\ntimes are known to %s\n", shown_error(s->t));
    if (s->regions.left_out)
        printf("marks beyond the names that are distinguished: %" PRIu64 "\n",
               s->regions.left_out);
    if (s->t->marks.broken)
        printf("marks of which a part was lost: %" PRIu64 "\n",
               s->t->marks.broken);
}

static int show_roi(const struct timeline *t, const struct arguments *args)
{
    struct regions_of of = {
        .begin = args->begin,
        .end = args->end ? args->end : args->begin,
        .acct = -1,
    };
    struct shown_roi s = { .t = t };

    if (args->domain_or_group) {
        of.acct = names_find(&t->rows.names, args->domain_or_group);
        if (of.acct < 0) {
            complain("the recording '%s' has no domain '%s'", args->file,
                     args->domain_or_group);
            return EXIT_FAILED;
        }
    }
    regions_make(&s.regions, &t->rows, &t->marks, &of);
    roi_make(&s.roi, t, &s.regions);
    if (!s.regions.nr_kinds && !args->json)
        complain("note: there is no such mark in '%s': is mark logged "
                 "(xenschedd --log), and may the guest make marks "
                 "(xensched allow-marks)?", args->file);
    if (args->json)
        print_json(&s);
    else if (s.regions.nr_kinds)
        print_text(&s);
    roi_free(&s.roi, &s.regions);
    regions_free(&s.regions);

    return EXIT_OK;
}

static int run_roi(const struct arguments *args)
{
    if (args->end && !args->begin)
        return arguments_wrong(&command_roi, "roi: --end without --begin");

    return shown_recording(args, show_roi);
}

const struct command command_roi = {
    .name = "roi",
    .summary = "print what happened between the marks of a guest",
    .help =
        "Print, for each region between marks of guests (xensched-mark) in the recording\n"
        "FILE, how long it took each time, and for how much of that its vCPU ran, waited\n"
        "for a pCPU (RUNNABLE; WAKE: after a wake-up) and slept, as medians; and the\n"
        "number of its moves between pCPUs and of notifications SENT and received (GOT).\n"
        "--begin and --end name marks, or give codes. By default, print all regions with\n"
        "names, and let the end have the name of the begin.",
    .takes = ARGUMENT_JSON | ARGUMENT_FILE | ARGUMENT_WHO | ARGUMENT_BEGIN_END,
    .run = run_roi,
};
