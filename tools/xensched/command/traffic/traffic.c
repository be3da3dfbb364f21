/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched traffic: counts how much each guest of this host sends to which MAC, as
 * metrics for Prometheus.
 *
 * It knows nothing of other hosts: Prometheus, which has the metrics of all of them,
 * joins a MAC with its guest (prometheus/xensched-rules.yml).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cards.h"
#include "command/command.h"
#include "command/rows/follow.h"
#include "traffic-counts.h"
#include "base/openmetrics.h"

/* As often as xenschedd writes its own. */
#define EVERY_SECONDS 5

/* Pairs that are worth a time series, at most: those with the most bytes. */
#define MAX_PAIRS 1000U

static void write_cards(FILE *out, const struct cards *cards)
{
    size_t i;

    openmetrics_family(out, "traffic_guest", "gauge",
                       "1 for each network card of a guest of this host");
    for (i = 0; i < cards->nr; i++) {
        const struct card *card = &cards->card[i];

        if (!card->name[0])
            continue;
        fputs("xensched_traffic_guest{", out);
        openmetrics_label(out, "domain", card->name);
        fprintf(out, ",domid=\"%" PRIu32 "\",card=\"%" PRIu32 "\",",
                card->domid, card->number);
        openmetrics_label(out, "uuid", card->uuid);
        fprintf(out, ",mac=\"%s\"} 1\n", card->mac);
    }
}

static void write_counts(FILE *out, const struct counts *counts)
{
    size_t i, nr = counts->nr < MAX_PAIRS ? counts->nr : MAX_PAIRS;

    openmetrics_family(out, "traffic_bytes", "counter",
                       "what a card of a guest has sent to a MAC");
    for (i = 0; i < nr; i++) {
        const struct count *count = &counts->count[i];

        fprintf(out, "xensched_traffic_bytes_total{domid=\"%" PRIu32
                "\",card=\"%" PRIu32 "\",mac=\"%s\",peer_mac=\"%s\"} %"
                PRIu64 "\n", count->card->domid, count->card->number,
                count->card->mac, count->peer, count->bytes);
    }
    openmetrics_family(out, "traffic_left_out", "gauge",
                       "pairs that are counted, but too many to print");
    fprintf(out, "xensched_traffic_left_out %zu\n", counts->nr - nr);
}

static int write_file(const char *path, const struct counts *counts,
                      const struct cards *cards, struct xensched_error *err)
{
    struct openmetrics m;
    int rc = openmetrics_begin(&m, err);

    if (rc)
        return rc;
    write_cards(m.out, cards);
    write_counts(m.out, counts);

    return openmetrics_end(&m, path, err);
}

/*
 * A program that loads a ruleset ("nft -f" with "flush ruleset") deletes the table:
 * counters then begin at 0, which Prometheus takes for a restart.
 */
static int read_again(struct counts *counts, const struct cards *cards,
                      struct xensched_error *err)
{
    int rc = counts_read(counts, cards, err);

    if (rc != -ESTALE)
        return rc;
    rc = counts_begin(cards, err);
    if (rc)
        return rc;
    complain("warning: another program has deleted or emptied the table 'bridge "
             "xensched'; counting again, from 0");

    return counts_read(counts, cards, err);
}

static int begin_counting(struct xensched_error *err)
{
    struct cards cards;
    int rc = cards_read(&cards, err);

    if (rc)
        return rc;
    rc = counts_begin(&cards, err);
    cards_free(&cards);

    return rc;
}

static int write_metrics(const char *path, struct xensched_error *err)
{
    struct counts counts;
    struct cards cards;
    int rc = cards_read(&cards, err);

    if (rc)
        return rc;
    rc = read_again(&counts, &cards, err);
    if (!rc) {
        rc = write_file(path, &counts, &cards, err);
        counts_free(&counts);
    }
    cards_free(&cards);

    return rc;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return t.tv_sec + t.tv_nsec / 1e9;
}

/* A signal ends it at once. */
static void wait_until(double time)
{
    double left = time - now_s();
    struct timespec t = {
        .tv_sec = left,
        .tv_nsec = (left - (long)left) * 1e9,
    };

    if (left > 0 && !follow_stopped())
        nanosleep(&t, NULL);
}

/*
 * What is wrong now may be right the next time: xenstored may be restarted.  Counters
 * that are old are not left to Prometheus, which would take them for new ones.
 */
static void keep_looking(const struct arguments *args)
{
    double end = args->seconds ? now_s() + args->seconds : 0;
    struct xensched_error err;
    bool failed = false;

    while (!follow_stopped() && (!end || now_s() < end)) {
        double next = now_s() + EVERY_SECONDS;
        int rc = write_metrics(args->metrics, &err);

        if (rc)
            unlink(args->metrics);
        if (rc && !failed && !follow_stopped())
            complain("%s", err.text);
        failed = rc;
        wait_until(end && end < next ? end : next);
    }
}

static int run_traffic(const struct arguments *args)
{
    struct xensched_error err;
    int rc;

    if (!args->metrics)
        return arguments_wrong(&command_traffic, "traffic: no --metrics FILE "
                               "given, such as /var/lib/prometheus/"
                               "node-exporter/xensched-traffic.prom");
    follow_catch_signals();
    rc = counts_lock(&err);
    if (!rc)
        rc = begin_counting(&err);
    if (!rc) {
        rc = write_metrics(args->metrics, &err);
        if (!rc)
            keep_looking(args);
        counts_end();
        unlink(args->metrics);
    }
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_traffic = {
    .name = "traffic",
    .summary = SUMMARY_TRAFFIC,
    .help =
        "Have the kernel count what each network card of a guest sends to which MAC, on\n"
        "the bridges of this host. Write the counts with the guests' names to a file for\n"
        "Prometheus's node_exporter every 5 s, until Ctrl-C; then remove the file and\n"
        "the counters. Needs nft(8), and root.",
    .takes = ARGUMENT_METRICS | ARGUMENT_SECONDS,
    .needs = ARGUMENT_METRICS,
    .run = run_traffic,
};
