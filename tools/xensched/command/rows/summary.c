/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.c - prints the sources of a recording, their lost rows, and the errors of their
 * clocks: xensched dump --summary.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/merge.h>
#include <xensched/order.h>

#include "command/analysis/shown.h"
#include "command/command.h"
#include "base/json.h"
#include "summary.h"

struct summary {
    struct xensched_merge *merge;
    struct xensched_order *order;
    uint64_t first_ns, last_ns;
    uint64_t hosts; /* descriptions of the host that it has */
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

int summary_print(const struct arguments *args)
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
