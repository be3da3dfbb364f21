/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched latency: measures the time from a notification until the notified domain runs, in a
 * recording.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "command/command.h"
#include "base/json.h"
#include "base/alloc.h"
#include "chain-text.h"
#include "shown.h"
#include "command/text/table.h"
#include "timeline/budgets.h"
#include "timeline/cause.h"
#include "timeline/latency.h"

/* The most domains in a line that held the pCPU. */
#define MOST_HOLDERS 3U

static const struct shown_quantile quantiles[] = {
    { "p50", 0.5 }, { "p99", 0.99 }, { "p99_9", 0.999 }, { "max", 1 },
};

#define NR_QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

static const char *name_of(const struct timeline *t, uint16_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        return "not known";

    return names_of(&t->rows.names, acct);
}

/* JSON. */

static const char *const kind_keys[WAKE_KINDS] = {
    [WAKE_WOKEN] = "woken",
    [WAKE_WAITING] = "waiting",
    [WAKE_RUNNING] = "running",
    [WAKE_NONE] = "not_woken",
    [WAKE_UNKNOWN] = "unknown",
};

/* Both members are null if the recording does not have the domain. */
static void add_acct(json_object *o, const char *key, const char *acct_key,
                     const struct timeline *t, uint16_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_NONE) {
        json_object_object_add(o, key, NULL);
        json_object_object_add(o, acct_key, NULL);
        return;
    }
    json_add_text(o, key, names_of(&t->rows.names, acct));
    json_add_int(o, acct_key, acct);
}

static json_object *holders_json(const struct timeline *t,
                                 const struct latency_pair *pair)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < pair->nr_holders; i++) {
        json_object *o = json_object_new_object();

        add_acct(o, "domain", "acct", t, pair->holder[i].acct);
        json_add_int(o, "ns", pair->holder[i].ns);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *pair_json(const struct timeline *t,
                              const struct latency_pair *pair)
{
    json_object *o = json_object_new_object();
    json_object *kinds = json_object_new_object();
    unsigned int i;

    add_acct(o, "from", "from_acct", t, pair->sender);
    add_acct(o, "to", "to_acct", t, pair->receiver);
    for (i = 0; i < WAKE_KINDS; i++)
        json_add_int(kinds, kind_keys[i], pair->kinds[i]);
    json_object_object_add(o, "notifications", kinds);
    json_add_int(o, "measured", pair->total.nr);
    json_add_int(o, "below_error", pair->below_error);
    json_object_object_add(o, "total_ns", shown_quantiles(&pair->total, quantiles, NR_QUANTILES));
    json_object_object_add(o, "delivery_ns",
                           shown_quantiles(&pair->delivery, quantiles, NR_QUANTILES));
    json_object_object_add(o, "wait_ns", shown_quantiles(&pair->wait, quantiles, NR_QUANTILES));
    if (pair->total.nr)
        json_add_int(o, "slowest_at_ns", pair->slowest_ns);
    else
        json_object_object_add(o, "slowest_at_ns", NULL);
    json_object_object_add(o, "waited_for", holders_json(t, pair));

    return o;
}

static void print_json(const struct timeline *t, const struct latency *latency)
{
    json_object *o = json_object_new_object();
    json_object *pairs = json_object_new_array();
    size_t i;

    for (i = 0; i < latency->nr; i++)
        json_object_array_add(pairs, pair_json(t, &latency->pair[i]));
    json_add_int(o, "begin_ns", t->rows.begin_ns);
    shown_add_error(o, t);
    json_add_int(o, "lost_rows", t->rows.lost_rows);
    json_add_int(o, "disordered", t->wakes.disordered);
    json_add_int(o, "disorder_ns", t->wakes.disorder_ns);
    json_object_object_add(o, "pairs", pairs);
    json_print(o);
}

/* Text. */

static void add_pair(struct table *table, const struct timeline *t,
                     const struct latency_pair *pair)
{
    size_t i;

    table_add(table, shown_name(name_of(t, pair->sender)));
    table_add(table, shown_name(name_of(t, pair->receiver)));
    table_add_format(table, "%" PRIu64, latency_notifications(pair));
    table_add_format(table, "%" PRIu64, pair->kinds[WAKE_RUNNING]);
    for (i = 0; i < NR_QUANTILES; i++)
        table_add(table, pair->total.nr
                  ? shown_length(latency_quantile(&pair->total,
                                                  quantiles[i].part)) : "-");
    table_add(table, pair->total.nr
              ? shown_length(latency_quantile(&pair->delivery, 0.99)) : "-");
    table_add(table, pair->total.nr
              ? shown_length(latency_quantile(&pair->wait, 0.99)) : "-");
    table_add(table, pair->total.nr ? shown_time(pair->slowest_ns) : "-");
}

static void print_holders(const struct timeline *t,
                          const struct latency_pair *pair)
{
    uint64_t sum = 0;
    size_t i;

    for (i = 0; i < pair->nr_holders; i++)
        sum += pair->holder[i].ns;
    if (!sum)
        return;
    printf("%s, notified by %s, waited %s for a pCPU, while there ran:",
           shown_name(name_of(t, pair->receiver)),
           shown_name(name_of(t, pair->sender)), shown_length(sum));
    for (i = 0; i < pair->nr_holders && i < MOST_HOLDERS; i++)
        printf("%s %s %.0f %%", i ? "," : "",
               shown_name(name_of(t, pair->holder[i].acct)),
               100.0 * pair->holder[i].ns / sum);
    printf("\n");
}

/* Returns whether the name has no quote, which would end a quoted word of a shell. */
static bool is_plain(const char *name)
{
    return !strchr(name, '\'') && !strcmp(shown_name(name), name);
}

/* Prints the command that explains the slowest notification. */
static void print_why(const struct timeline *t, const struct latency *latency,
                      const char *file)
{
    const struct latency_pair *slowest = NULL;
    const struct vcpu *v;
    const char *name;
    size_t i;

    for (i = 0; i < latency->nr; i++)
        if (latency->pair[i].total.nr &&
            (!slowest || latency->pair[i].slowest_total_ns >
                         slowest->slowest_total_ns))
            slowest = &latency->pair[i];
    if (!slowest)
        return;
    v = &t->vcpus.vcpu[slowest->slowest_vcpu];
    name = name_of(t, v->acct);
    if (is_plain(name) && is_plain(file))
        printf("the slowest one: xensched why '%s' '%s/%u' --at %s\n", file,
               name, v->number, shown_time(slowest->slowest_ns));
}

static void print_below_error(const struct latency *latency)
{
    uint64_t all = 0, below = 0;
    size_t i;

    for (i = 0; i < latency->nr; i++) {
        all += latency->pair[i].total.nr;
        below += latency->pair[i].below_error;
    }
    if (below)
        printf("%" PRIu64 " of %" PRIu64 " latencies are shorter than the "
               "clocks of the two pCPUs are known to, and count as that error\n",
               below, all);
}

static void print_text(const struct timeline *t, const struct latency *latency,
                       const char *file)
{
    static const char *const headers[] = {
        "FROM", "TO", ">NOTIFIED", ">RAN", ">P50", ">P99", ">P99.9", ">MAX",
        ">DELIVERY P99", ">WAIT P99", ">MAX AT", NULL,
    };
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; i < latency->nr; i++)
        add_pair(table, t, &latency->pair[i]);
    table_print(table);
    printf("\n");
    for (i = 0; i < latency->nr; i++)
        print_holders(t, &latency->pair[i]);
    printf("times are known to %s; %" PRIu64 " of %" PRIu64 " wake-ups came "
           "before their notification", shown_error(t), t->wakes.disordered,
           t->wakes.pairs);
    if (t->wakes.disordered)
        printf(" (by %s at most)", shown_length(t->wakes.disorder_ns));
    printf("\n");
    print_below_error(latency);
    print_why(t, latency, file);
}

/* The most delayed runs. */

struct late_run {
    uint32_t vcpu; /* index */
    uint64_t begin, wait_ns;
    uint64_t ns;   /* its delay, with Xen's work */
};

/* Puts @run among the first @most of @runs, the latest first; returns their number. */
static size_t keep_run(struct late_run *runs, size_t nr, size_t most, struct late_run run)
{
    size_t i;

    if (nr == most && runs[nr - 1].ns >= run.ns)
        return nr;
    i = nr < most ? nr++ : nr - 1;
    for (; i && runs[i - 1].ns < run.ns; i--)
        runs[i] = runs[i - 1];
    runs[i] = run;

    return nr;
}

/* The run of span @i of @vcpu, or the wait that no run follows; else it is late by 0. */
static struct late_run late_run(const struct timeline *t, uint32_t vcpu, size_t i)
{
    const struct vcpu *v = &t->vcpus.vcpu[vcpu];
    const struct span *s = &v->span[i];
    struct late_run run = { .vcpu = vcpu, .begin = s->begin };
    struct chain_link link;

    if (s->state == VCPU_RUNNING) {
        chain_link_run(&link, t, vcpu, i, s->begin);
        run.begin = link.ready;
        run.wait_ns = link.ran - link.ready;
        run.ns = cause_late_ns(t, &link);
    } else if (s->state == VCPU_RUNNABLE && (i + 1 == v->nr || s[1].state != VCPU_RUNNING)) {
        run.ns = run.wait_ns = vcpus_end(&t->vcpus, v, i) - s->begin;
    }

    return run;
}

static size_t find_late_runs(const struct timeline *t, unsigned int acct, size_t most,
                             struct late_run *runs)
{
    const struct vcpus *vcpus = &t->vcpus;
    size_t nr = 0, i;
    uint32_t vcpu;

    for (vcpu = vcpus->first[acct]; vcpu < vcpus->first[acct + 1]; vcpu++)
        for (i = 0; i < vcpus->vcpu[vcpu].nr; i++) {
            struct late_run run = late_run(t, vcpu, i);

            if (run.ns)
                nr = keep_run(runs, nr, most, run);
        }

    return nr;
}

/* Cuts the chain at the domain's own last run, before which nothing explains this one. */
static void end_at_own_run(struct chain *chain)
{
    unsigned int i;

    for (i = 1; i < chain->nr && chain->link[i].vcpu != chain->link[0].vcpu; i++)
        ;
    chain->nr = i;
}

static void print_late_run(const struct timeline *t, const struct late_run *run)
{
    const struct vcpu *v = &t->vcpus.vcpu[run->vcpu];
    struct chain chain;

    printf("%s waited %s from %s s", shown_name(timeline_vcpu_name(t, run->vcpu)),
           shown_length(run->wait_ns), shown_time(run->begin));
    if (run->ns > run->wait_ns)
        printf("; Xen delayed it by %s more", shown_length(run->ns - run->wait_ns));
    printf("\n");
    if (!chain_make(&chain, t, v->acct, v->number, run->begin))
        return;
    end_at_own_run(&chain);
    chain_print_cause(t, &chain.link[0]);
    chain_print(t, &chain);
}

/* If budgets are recorded. */
static void print_deadlines(const struct timeline *t, int acct)
{
    uint64_t periods, missed = budgets_missed(t, acct, &periods);

    if (periods)
        printf("%s missed %" PRIu64 " of %" PRIu64 " deadlines\n\n",
               shown_name(names_of(&t->rows.names, acct)), missed, periods);
}

static int show_worst(const struct timeline *t, const struct arguments *args, int acct)
{
    struct late_run *runs = need_memory(args->worst, sizeof(*runs));
    size_t nr = find_late_runs(t, acct, args->worst, runs), i;

    if (!nr)
        complain("note: '%s' has no wait for a pCPU in '%s': is wake-delay logged "
                 "(xenschedd --log)?", args->domain_or_group, args->file);
    print_deadlines(t, acct);
    for (i = 0; i < nr; i++) {
        printf("%s%zu. ", i ? "\n" : "", i + 1);
        print_late_run(t, &runs[i]);
    }
    if (nr)
        printf("\ntimes are known to %s\n", shown_error(t));
    free(runs);

    return EXIT_OK;
}

static int show_latency(const struct timeline *t, const struct arguments *args)
{
    struct latency latency;
    int receiver = -1;

    if (args->domain_or_group) {
        receiver = names_find(&t->rows.names, args->domain_or_group);
        if (receiver < 0) {
            complain("the recording '%s' has no domain '%s'", args->file,
                     args->domain_or_group);
            return EXIT_FAILED;
        }
    }
    if (args->worst)
        return show_worst(t, args, receiver);
    latency_make(&latency, t, receiver);
    if (!latency.nr && !args->json)
        complain("note: there is no notification%s in '%s': is evtchn-recv or "
                 "evtchn-send logged (xenschedd --log)?",
                 args->domain_or_group ? " to that domain" : "", args->file);
    if (args->json)
        print_json(t, &latency);
    else if (latency.nr)
        print_text(t, &latency, args->file);
    latency_free(&latency);

    return EXIT_OK;
}

static int run_latency(const struct arguments *args)
{
    if (args->worst && (!args->domain_or_group || args->json))
        return arguments_wrong(&command_latency, "latency: --worst needs a DOMAIN, and "
                               "prints text only");

    return shown_recording(args, show_latency);
}

const struct command command_latency = {
    .name = "latency",
    .summary = "print the time from notification to run",
    .help =
        "Print the time from a notification until its receiver ran, for each pair of\n"
        "domains in the recording FILE; with DOMAIN, for this receiver only. RAN:\n"
        "receivers that ran already. DELIVERY: the part until the receiver was runnable.\n"
        "WAIT: the part until it had a pCPU. MAX AT: time of the slowest, for 'xensched\n"
        "why'. No time is below the error of the two pCPUs' clocks. With --worst, print\n"
        "the most delayed runs of DOMAIN: by waits for a pCPU, and by interrupts and\n"
        "hypercalls. For each, name the largest cause and print the chain of causes, as\n"
        "'xensched why' does, back to the last run of its own. Deadlines that rtds\n"
        "missed are counted, if the recording has replenish.",
    .takes = ARGUMENT_JSON | ARGUMENT_FILE | ARGUMENT_WHO | ARGUMENT_WORST,
    .run = run_latency,
};
