/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the metrics of each domain, and those of pairs of domains. */
#include <inttypes.h>
#include <stdlib.h>

#include <xensched/event.h>

#include "base/openmetrics.h"
#include "daemon/core/observe-host.h"
#include "metrics-parts.h"
#include "model/residency/presence.h"

/* A smaller share of its time at a place gets no time series. */
#define MIN_SHARE 0.005

/* Pairs with a smaller rate per second get no time series. */
#define MIN_RATE 0.1

/* Maximum number of pairs, those with the highest rates. */
#define MAX_PAIRS 1000

void metrics_label_domain(FILE *out, const char *prefix, const char *name, uint32_t domid)
{
    char label[32];

    snprintf(label, sizeof(label), "%sdomain", prefix);
    openmetrics_label(out, label, name);
    fprintf(out, ",%sdomid=\"%" PRIu32 "\"", prefix, domid);
}

void metrics_begin_sample(FILE *out, const char *name, const struct domain *d)
{
    fprintf(out, "xensched_%s{", name);
    metrics_label_domain(out, "", d->name, d->domid);
    if (!d->group[0])
        return;
    putc(',', out);
    openmetrics_label(out, "group", d->group);
}

static void write_use(FILE *out, const struct core *core, uint64_t now_ns)
{
    unsigned int i;

    openmetrics_family(out, "service_share", "gauge",
                       "pCPUs which the domain kept busy recently");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        double share;

        if (!core_service(core, d, now_ns, &share))
            continue;
        metrics_begin_sample(out, "service_share", d);
        fprintf(out, "} %.4f\n", share);
    }
    openmetrics_family(out, "moved", "gauge",
                       "1 if the domain has an affinity of the daemon's");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];

        metrics_begin_sample(out, "moved", d);
        fprintf(out, "} %d\n", d->affinity == AFFINITY_OURS);
    }
}

/* Shares of places, by the log. */

static void write_at_place(FILE *out, const struct core *core, uint64_t now_ns)
{
    unsigned int i;

    openmetrics_family(out, "at_place_ratio", "gauge",
                       "part of its time that a moved domain ran at its "
                       "place, recently");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        double share = d->affinity != AFFINITY_OURS ? -1 :
                       presence_share(core->matrix, d, &d->ours, now_ns);

        if (share < 0)
            continue;
        metrics_begin_sample(out, "at_place_ratio", d);
        fprintf(out, "} %.4f\n", share);
    }
}

static void write_places_of(FILE *out, const struct core *core,
                            const struct domain *d, uint64_t now_ns)
{
    const struct topology *t = &core->topology;
    unsigned int i;

    for (i = 0; i < t->nr_places; i++) {
        double share = presence_share(core->matrix, d, &t->places[i].cpus,
                                      now_ns);

        if (share < MIN_SHARE)
            continue;
        metrics_begin_sample(out, "place_ratio", d);
        fprintf(out, ",place=\"%s %u\"} %.4f\n", t->places[i].kind,
                t->places[i].id, share);
    }
}

static void write_places(FILE *out, const struct core *core, uint64_t now_ns)
{
    unsigned int i;

    openmetrics_family(out, "place_ratio", "gauge",
                       "part of its time that the domain ran at this place, "
                       "recently");
    for (i = 0; i < core->domains.nr; i++)
        write_places_of(out, core, &core->domains.domain[i], now_ns);
}

static void write_memory(FILE *out, const struct core *core)
{
    unsigned int i, node;

    openmetrics_family(out, "memory_ratio", "gauge",
                       "part of its memory that is on this node, by the "
                       "latest count");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];

        for (node = 0; node < d->pages.nr_nodes; node++) {
            double share = pages_share(&d->pages, node);

            if (share < MIN_SHARE)
                continue;
            metrics_begin_sample(out, "memory_ratio", d);
            fprintf(out, ",node=\"%u\"} %.4f\n", node, share);
        }
    }
}

static void write_crossings(FILE *out, const struct core *core,
                            uint64_t now_ns)
{
    struct domain_exchange *exchanges = presence_exchanges(core->matrix, &core->topology,
                                                           &core->domains, now_ns);
    unsigned int i;

    openmetrics_family(out, "crossings_per_second", "gauge",
                       "notifications to and from it which cross places, "
                       "estimated");
    for (i = 0; i < core->domains.nr; i++) {
        if (exchanges[i].crossings < 0)
            continue;
        metrics_begin_sample(out, "crossings_per_second", &core->domains.domain[i]);
        fprintf(out, "} %.2f\n", exchanges[i].crossings);
    }
    free(exchanges);
}

static void write_levers(FILE *out, const struct core *core)
{
    unsigned int i;

    openmetrics_family(out, "lever", "gauge",
                       "1 for the affinity by which a moved domain is kept "
                       "at its place");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];

        if (d->affinity != AFFINITY_OURS)
            continue;
        metrics_begin_sample(out, "lever", d);
        fprintf(out, ",lever=\"soft\"} %d\n", !d->ours_hard);
        metrics_begin_sample(out, "lever", d);
        fprintf(out, ",lever=\"hard\"} %d\n", d->ours_hard);
    }
}

static double cost_of(const struct work *work)
{
    return work_cost(work) / 1e9;
}

static double wait_of(const struct work *work)
{
    return work->waited_ns / work->units / 1e9;
}

static double wakes_of(const struct work *work)
{
    return work->wakes / work->units;
}

static double migrations_of(const struct work *work)
{
    return work->migrations / work->units;
}

/* For the same unit of the domain's recent work; negative: unknown. */
static const struct {
    const char *name, *help;
    double (*of)(const struct work *work);
} of_work[] = {
    { "work_cost_seconds", "pCPU time per unit of the domain's work, its back ends' "
      "included, recently", cost_of },
    { "work_wait_seconds", "time that its vCPUs waited for a pCPU, per unit of the "
      "domain's work, recently", wait_of },
    { "work_wakes", "wake-ups of its vCPUs per unit of the domain's work, recently",
      wakes_of },
    { "work_migrations", "moves of its vCPUs to another pCPU per unit of the domain's "
      "work, recently", migrations_of },
};

static void write_work(FILE *out, const struct core *core, uint64_t now_ns)
{
    uint64_t for_ns;
    struct work *work = watch_work_recent(core, now_ns, &for_ns);
    unsigned int i, k;

    for (k = 0; work && k < sizeof(of_work) / sizeof(*of_work); k++) {
        openmetrics_family(out, of_work[k].name, "gauge", of_work[k].help);
        for (i = 0; i < core->domains.nr; i++) {
            if (work[i].unit >= WORK_TIME || of_work[k].of(&work[i]) < 0)
                continue;
            metrics_begin_sample(out, of_work[k].name, &core->domains.domain[i]);
            fprintf(out, ",unit=\"%s\"} %.9f\n", work_unit_name(work[i].unit),
                    of_work[k].of(&work[i]));
        }
    }
    free(work);
}

/* The pairs with the highest rates, not sorted yet. */
struct pairs {
    size_t nr;
    struct matrix_entry entry[MAX_PAIRS];
    size_t least; /* index of the lowest rate, if the set is full */
};

static void find_least(struct pairs *p)
{
    size_t i;

    p->least = 0;
    for (i = 1; i < p->nr; i++)
        if (p->entry[i].rate < p->entry[p->least].rate)
            p->least = i;
}

static void take_pair(const struct matrix_entry *entry, void *arg)
{
    struct pairs *p = arg;

    if (entry->correspondent == XEN_SCHEDLOG_ACCT_NONE ||
        entry->rate < MIN_RATE)
        return;
    if (p->nr < MAX_PAIRS)
        p->entry[p->nr++] = *entry;
    else if (entry->rate > p->entry[p->least].rate)
        p->entry[p->least] = *entry;
    else
        return;
    if (p->nr == MAX_PAIRS)
        find_least(p);
}

static void write_end(FILE *out, const struct core *core, const char *prefix,
                      uint16_t acct)
{
    const struct account *account = accounting_of(&core->accounting, acct);

    if (account)
        metrics_label_domain(out, prefix, account->name, account->domid);
    else
        fprintf(out, "%sdomain=\"%s\",%sdomid=\"\"", prefix,
                acct == XEN_SCHEDLOG_ACCT_XEN ? "(xen)" : "(not bound)",
                prefix);
}

static void write_pairs(FILE *out, const struct core *core, uint64_t now_ns)
{
    static struct pairs pairs;
    size_t i;

    pairs.nr = 0;
    matrix_visit(core->matrix, now_ns, take_pair, &pairs);
    openmetrics_family(out, "rate", "gauge",
                       "what one domain did to another, per second recently");
    for (i = 0; i < pairs.nr; i++) {
        const struct matrix_entry *entry = &pairs.entry[i];
        const char *event = xensched_event_name(entry->event);

        fprintf(out, "xensched_rate{event=\"%s\",", event ? event : "?");
        write_end(out, core, "from_", entry->current);
        putc(',', out);
        write_end(out, core, "to_", entry->correspondent);
        fprintf(out, "} %.2f\n", entry->rate);
    }
}

void metrics_write_domains(FILE *out, const struct core *core, uint64_t now_ns)
{
    write_use(out, core, now_ns);
    write_at_place(out, core, now_ns);
    write_places(out, core, now_ns);
    write_memory(out, core);
    write_crossings(out, core, now_ns);
    write_levers(out, core);
    write_work(out, core, now_ns);
    write_pairs(out, core, now_ns);
}
