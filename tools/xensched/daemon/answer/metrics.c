/* SPDX-License-Identifier: GPL-2.0-only */
/* metrics.c - see metrics.h.  The names are in docs/operate/metrics.md. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xensched/event.h>

#include "base/replace-file.h"
#include "daemon/core/watch-work.h"
#include "host/hypervisor-versions.h"
#include "model/presence.h"
#include "metrics.h"
#include "base/openmetrics.h"
#include "daemon/say.h"

/* Less of its time at a place is not worth a time series. */
#define MIN_SHARE 0.005

/* Pairs with less than this per second are not worth a time series. */
#define MIN_RATE 0.1

/* As many pairs as this at most, those with the highest rates. */
#define MAX_PAIRS 1000

/*
 * Waits of the last minute: less than this part of a pCPU is not worth a time series, and
 * of each domain so many others for which it waited the longest.
 */
#define WAITS_LOOK_S   60
#define MIN_WAIT_RATIO 0.001
#define MAX_CULPRITS   3

static void domain_labels(FILE *out, const char *prefix, const char *name,
                          uint32_t domid)
{
    char label_name[32];

    snprintf(label_name, sizeof(label_name), "%sdomain", prefix);
    openmetrics_label(out, label_name, name);
    fprintf(out, ",%sdomid=\"%" PRIu32 "\"", prefix, domid);
}

/* Of the daemon. */

static void write_mode(FILE *out, const struct core *core)
{
    int i;

    openmetrics_family(out, "mode", "gauge",
                       "1 for the mode that the daemon is in");
    for (i = MODE_OBSERVE; i <= MODE_ACT; i++)
        fprintf(out, "xensched_mode{mode=\"%s\"} %d\n", mode_name(i),
                core->mode == (enum mode)i);
}

static void write_changes(FILE *out, const struct core *core)
{
    openmetrics_family(out, "moves", "counter", "domains moved");
    fprintf(out, "xensched_moves_total %" PRIu64 "\n", core->moves);
    openmetrics_family(out, "moves_regretted", "counter",
                       "moves undone because they did not help");
    fprintf(out, "xensched_moves_regretted_total %" PRIu64 "\n",
            core->regrets);
    openmetrics_family(out, "restores", "counter", "domains put back");
    fprintf(out, "xensched_restores_total %" PRIu64 "\n", core->restores);
    openmetrics_family(out, "journal_failures", "counter",
                       "journal entries which could not be written");
    fprintf(out, "xensched_journal_failures_total %u\n",
            core->journal.failures);
}

static double seconds(const struct timeval *t)
{
    return t->tv_sec + t->tv_usec / 1e6;
}

/* What the daemon itself costs. */
static void write_cost(FILE *out, const struct core *core, uint64_t now_ns)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    openmetrics_family(out, "cpu_seconds", "counter",
                       "CPU time of the daemon");
    fprintf(out, "xensched_cpu_seconds_total %.3f\n",
            seconds(&usage.ru_utime) + seconds(&usage.ru_stime));
    if (core->governor.budget > 0) {
        openmetrics_family(out, "budget_ratio", "gauge",
                           "pCPUs that logging may cost, the daemon included");
        fprintf(out, "xensched_budget_ratio %.5f\n", core->governor.budget);
        openmetrics_family(out, "overhead_ratio", "gauge",
                           "pCPUs that it costs, recently");
        fprintf(out, "xensched_overhead_ratio %.5f\n",
                core->governor.overhead);
    }
    openmetrics_family(out, "uptime_seconds", "gauge",
                       "since the daemon was started");
    fprintf(out, "xensched_uptime_seconds %.1f\n",
            (now_ns - core->started_ns) / 1e9);
    openmetrics_family(out, "looks", "counter",
                       "how often the hypervisor's log was read");
    fprintf(out, "xensched_looks_total %" PRIu64 "\n", core->looks);
    openmetrics_family(out, "rings", "counter",
                       "how often because Xen said that it fills up");
    fprintf(out, "xensched_rings_total %" PRIu64 "\n", core->rings);
    openmetrics_family(out, "matrix_size", "gauge",
                       "numbers in the affinity matrix");
    fprintf(out, "xensched_matrix_size %zu\n", matrix_size(core->matrix));
}

/* Of the hypervisor. */

static void write_behind(FILE *out, const char *which, const char *version,
                         const char *debian)
{
    if (!*version)
        return;
    fputs("xensched_hypervisor_behind{", out);
    openmetrics_label(out, "hypervisor", which);
    putc(',', out);
    openmetrics_label(out, "built_from", version);
    putc(',', out);
    openmetrics_label(out, "debian", debian);
    fprintf(out, "} %d\n", hypervisor_version_is_behind(version, debian));
}

static void write_versions(FILE *out, const char *root)
{
    struct hypervisor_versions v;

    hypervisor_versions_read(&v, root);
    if (!*v.debian || (!*v.running && !*v.installed))
        return;
    openmetrics_family(out, "hypervisor_behind", "gauge",
                       "1 if it was built from an older Xen than Debian's installed one");
    write_behind(out, "running", v.running, v.debian);
    write_behind(out, "installed", v.installed, v.debian);
}

/* Of its sources. */

static void write_source(FILE *out, const char *name, const struct log_source *source,
                         uint64_t value)
{
    fprintf(out, "xensched_%s{", name);
    openmetrics_label(out, "source", source->name);
    fprintf(out, "} %" PRIu64 "\n", value);
}

/* One of the numbers of a source. */
struct source_number {
    const char *name, *sample, *type, *help;
    uint64_t (*of)(const struct log_source *source,
                   const struct xensched_source_stats *stats);
};

static uint64_t reading(const struct log_source *source,
                        const struct xensched_source_stats *stats)
{
    (void)stats;

    return source->state == LOG_SOURCE_READING;
}

static uint64_t rows(const struct log_source *source,
                     const struct xensched_source_stats *stats)
{
    (void)source;

    return stats->rows;
}

static uint64_t lost_rows(const struct log_source *source,
                          const struct xensched_source_stats *stats)
{
    (void)source;

    return stats->lost_rows;
}

static uint64_t lost_bytes(const struct log_source *source,
                           const struct xensched_source_stats *stats)
{
    (void)source;

    return stats->lost_bytes;
}

static uint64_t refused(const struct log_source *source,
                        const struct xensched_source_stats *stats)
{
    (void)stats;

    return source->refused;
}

static const struct source_number source_numbers[] = {
    { "source_reading", "source_reading", "gauge",
      "1 if the log of this source is read", reading },
    { "rows", "rows_total", "counter", "rows read", rows },
    { "lost_rows", "lost_rows_total", "counter",
      "rows overwritten before they could be read", lost_rows },
    { "lost_bytes", "lost_bytes_total", "counter",
      "bytes overwritten before they could be read", lost_bytes },
    { "refused_rows", "refused_rows_total", "counter",
      "rows of a driver domain which it had no right to", refused },
};

static void write_sources(FILE *out, const struct log_sources *sources)
{
    struct xensched_source_stats stats;
    size_t n;
    unsigned int i;

    for (n = 0; n < sizeof(source_numbers) / sizeof(source_numbers[0]); n++) {
        const struct source_number *number = &source_numbers[n];

        openmetrics_family(out, number->name, number->type, number->help);
        for (i = 0; i < sources->nr; i++) {
            log_source_stats(sources->source[i], &stats);
            write_source(out, number->sample, sources->source[i],
                         number->of(sources->source[i], &stats));
        }
    }
}

/* Of domains. */

static void own_labels(FILE *out, const struct domain *d)
{
    domain_labels(out, "", d->name, d->domid);
    if (!d->group[0])
        return;
    putc(',', out);
    openmetrics_label(out, "group", d->group);
}

static void write_domains(FILE *out, const struct core *core, uint64_t now_ns)
{
    unsigned int i;

    openmetrics_family(out, "service_share", "gauge",
                       "pCPUs which the domain kept busy recently");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        double share;

        if (!core_service(core, d, now_ns, &share))
            continue;
        fputs("xensched_service_share{", out);
        own_labels(out, d);
        fprintf(out, "} %.4f\n", share);
    }
    openmetrics_family(out, "moved", "gauge",
                       "1 if the domain has an affinity of the daemon's");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];

        fputs("xensched_moved{", out);
        own_labels(out, d);
        fprintf(out, "} %d\n", d->affinity == AFFINITY_OURS);
    }
}

/* Where domains ran, by the log. */

static void domain_sample(FILE *out, const char *name, const struct domain *d)
{
    fprintf(out, "xensched_%s{", name);
    own_labels(out, d);
}

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
        domain_sample(out, "at_place_ratio", d);
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
        domain_sample(out, "place_ratio", d);
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
            domain_sample(out, "memory_ratio", d);
            fprintf(out, ",node=\"%u\"} %.4f\n", node, share);
        }
    }
}

static void write_crossings(FILE *out, const struct core *core,
                            uint64_t now_ns)
{
    struct cpumap all;
    unsigned int i;

    cpumap_init(&all, core->topology.nr_cpus);
    cpumap_fill(&all);
    openmetrics_family(out, "crossings_per_second", "gauge",
                       "notifications to and from it which cross places, "
                       "estimated");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];

        if (presence_share(core->matrix, d, &all, now_ns) < 0)
            continue;
        domain_sample(out, "crossings_per_second", d);
        fprintf(out, "} %.2f\n",
                presence_all_crossings(core->matrix, &core->topology,
                                       &core->domains, d, now_ns));
    }
    cpumap_free(&all);
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
        domain_sample(out, "lever", d);
        fprintf(out, ",lever=\"soft\"} %d\n", !d->ours_hard);
        domain_sample(out, "lever", d);
        fprintf(out, ",lever=\"hard\"} %d\n", d->ours_hard);
    }
}

static void write_soft_weight(FILE *out, const struct core *core)
{
    const struct state_weight *weight = &core->actuator.state.weight;

    if (!weight->changed)
        return;
    openmetrics_family(out, "credit2_soft_weight", "gauge",
                       "what the daemon has set Xen's credit2_soft_weight "
                       "to, in percent");
    fprintf(out, "xensched_credit2_soft_weight %" PRIu32 "\n", weight->ours);
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

/* All are of one unit of the domain's recent work; negative: not known. */
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
            domain_sample(out, of_work[k].name, &core->domains.domain[i]);
            fprintf(out, ",unit=\"%s\"} %.9f\n", work_unit_name(work[i].unit),
                    of_work[k].of(&work[i]));
        }
    }
    free(work);
}

static void write_trial_residency(FILE *out, const struct trial *t)
{
    if (trial_residency(t, true) < 0)
        return;
    openmetrics_family(out, "trial_at_target_ratio", "gauge",
                       "share of their time that placed guests ran at their targets, "
                       "in blocks of the latest trial with and without placement");
    fprintf(out, "xensched_trial_at_target_ratio{block=\"placed\"} %.4f\n",
            trial_residency(t, true));
    fprintf(out, "xensched_trial_at_target_ratio{block=\"not_placed\"} %.4f\n",
            trial_residency(t, false));
}

/* The latest trial. */
static void write_trial(FILE *out, const struct core *core)
{
    const struct trial *t = &core->trial;
    double low, high;

    write_trial_residency(out, t);
    if (!t->cost.n || t->settings.dry_run)
        return;
    openmetrics_family(out, "trial_cost_change_ratio", "gauge",
                       "change of pCPU time per unit of work by placement, and the "
                       "bounds of its 95 % interval");
    fprintf(out, "xensched_trial_cost_change_ratio{value=\"mean\"} %.5f\n",
            trial_change(t->cost.mean));
    if (!evidence_interval(&t->cost, TRIAL_ALPHA, &low, &high))
        return;
    fprintf(out, "xensched_trial_cost_change_ratio{value=\"low\"} %.5f\n",
            trial_change(low));
    fprintf(out, "xensched_trial_cost_change_ratio{value=\"high\"} %.5f\n",
            trial_change(high));
}

/* The pairs with the highest rates, in no order until they are sorted. */
struct pairs {
    size_t nr;
    struct matrix_entry entry[MAX_PAIRS];
    size_t least; /* of a full set */
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

    if (account && !account->group[0])
        domain_labels(out, prefix, account->name, account->domid);
    else
        fprintf(out, "%sdomain=\"%s\",%sdomid=\"\"", prefix,
                account ? account->name
                : acct == XEN_SCHEDLOG_ACCT_XEN ? "(xen)" : "(not bound)",
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

/* Who waits for whom. */

static void write_waits_end(FILE *out, const char *prefix, const struct waits_end *end)
{
    char label[32], name[DOMAIN_NAME_TEXT + 16];

    snprintf(label, sizeof(label), "%sdomain", prefix);
    snprintf(name, sizeof(name), end->group ? "(group %s)" : "%s", end->name ?: "");
    openmetrics_label(out, label, name);
    fprintf(out, ",%sdomid=\"", prefix);
    if (end->domid >= 0)
        fprintf(out, "%" PRId64, end->domid);
    putc('"', out);
}

static void write_ready(FILE *out, const struct waits_report *report)
{
    unsigned int i;

    openmetrics_family(out, "ready_ratio", "gauge",
                       "vCPUs of the domain that waited for a pCPU, in the last minute");
    for (i = 0; i < report->nr; i++) {
        fputs("xensched_ready_ratio{", out);
        write_waits_end(out, "", &report->of[i].who);
        fprintf(out, "} %.5f\n", 1e-9 * report->of[i].ns / report->seconds);
    }
}

/* Little of it is not worth a time series. */
static void write_causes(FILE *out, const struct waits_report *report)
{
    unsigned int i, cause;

    openmetrics_family(out, "ready_cause_ratio", "gauge",
                       "of ready_ratio, the part with this cause: what woke the vCPU, or why "
                       "it had left its pCPU");
    for (i = 0; i < report->nr; i++)
        for (cause = 0; cause < WAITS_CAUSES; cause++) {
            double ratio = 1e-9 * report->of[i].by[cause].ns / report->seconds;

            if (ratio < MIN_WAIT_RATIO)
                continue;
            fputs("xensched_ready_cause_ratio{", out);
            write_waits_end(out, "", &report->of[i].who);
            fprintf(out, ",cause=\"%s\"} %.5f\n", waits_cause_name(cause), ratio);
        }
}

static void write_quantiles(FILE *out, const struct waits_report *report)
{
    static const double parts[] = { 0.5, 0.99 };
    unsigned int i, k;

    openmetrics_family(out, "wake_delay_seconds", "gauge",
                       "time from wake-up to run that this part of the wake-ups of the "
                       "last minute did not exceed");
    for (i = 0; i < report->nr; i++)
        for (k = 0; k < 2 && report->of[i].wakes; k++) {
            fputs("xensched_wake_delay_seconds{", out);
            write_waits_end(out, "", &report->of[i].who);
            fprintf(out, ",part=\"%g\"} %.7f\n", parts[k],
                    1e-9 * waits_quantile(&report->of[i], parts[k]));
        }
}

/* The rest of the time of its vCPUs.  Of a group, they are not told apart. */
static void write_blocked(FILE *out, const struct core *core,
                          const struct waits_report *report, uint64_t now_ns)
{
    unsigned int i;

    openmetrics_family(out, "blocked_ratio", "gauge",
                       "vCPUs of the domain that slept: neither ran recently, nor waited in the "
                       "last minute, nor were kept from running by Xen");
    for (i = 0; i < core->domains.nr; i++) {
        const struct domain *d = &core->domains.domain[i];
        const struct waits_of *of = waits_find(core->waits, report, d->acct);
        double left = domain_online_vcpus(d), share;

        if (d->group[0] || d->paused || !core_service(core, d, now_ns, &share))
            continue;
        left -= share;
        if (of)
            left -= 1e-9 * (of->ns + of->offline_ns) / report->seconds;
        domain_sample(out, "blocked_ratio", d);
        fprintf(out, "} %.4f\n", fmax(0, left));
    }
}

static unsigned int write_culprits(FILE *out, const struct waits_of *of, uint64_t seconds)
{
    unsigned int i;

    for (i = 0; i < of->nr_for && i < MAX_CULPRITS; i++) {
        double ratio = 1e-9 * of->whom[i].all.ns / seconds;

        if (ratio < MIN_WAIT_RATIO)
            break;
        fputs("xensched_waits_for_ratio{", out);
        write_waits_end(out, "", &of->who);
        putc(',', out);
        write_waits_end(out, "for_", &of->whom[i].whom);
        fprintf(out, "} %.5f\n", ratio);
    }

    return i;
}

static void write_waits(FILE *out, const struct core *core, uint64_t now_ns)
{
    uint64_t now_s = now_ns / 1000000000;
    struct waits_report report;
    unsigned int i, nr = 0;

    waits_ask(core->waits, now_s > WAITS_LOOK_S ? now_s - WAITS_LOOK_S : 0, WAITS_LOOK_S,
              &report);
    write_ready(out, &report);
    write_causes(out, &report);
    write_blocked(out, core, &report, now_ns);
    write_quantiles(out, &report);
    openmetrics_family(out, "waits_for_ratio", "gauge",
                       "of ready_ratio, the part in which this other domain had the pCPU");
    for (i = 0; i < report.nr && nr < MAX_PAIRS; i++)
        nr += write_culprits(out, &report.of[i], report.seconds);
    waits_report_free(&report);
}

static void write_all(FILE *out, const struct core *core,
                      const struct log_sources *sources, const char *root,
                      uint64_t now_ns)
{
    write_mode(out, core);
    write_changes(out, core);
    write_cost(out, core, now_ns);
    write_versions(out, root);
    write_sources(out, sources);
    write_domains(out, core, now_ns);
    write_at_place(out, core, now_ns);
    write_places(out, core, now_ns);
    write_memory(out, core);
    write_crossings(out, core, now_ns);
    write_levers(out, core);
    write_soft_weight(out, core);
    write_work(out, core, now_ns);
    write_trial(out, core);
    write_pairs(out, core, now_ns);
    write_waits(out, core, now_ns);
    fputs("# EOF\n", out);
}

/* node_exporter takes files which end with .prom only: not "PATH.new". */
static int replace_metrics(const struct metrics *metrics,
                           const struct core *core, const struct log_sources *sources,
                           uint64_t now_ns, struct xensched_error *err)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int rc;

    if (!out)
        return xensched_fail(err, ENOMEM, "out of memory");
    write_all(out, core, sources, metrics->root ?: "", now_ns);
    rc = fclose(out) ? xensched_fail(err, ENOMEM, "out of memory")
                     : replace_file(metrics->path, text, length, 0644, false, err);
    free(text);

    return rc;
}

void metrics_write(struct metrics *metrics, const struct core *core,
                   const struct log_sources *sources, uint64_t now_ns)
{
    struct xensched_error err;
    int rc;

    if (!metrics->path ||
        (metrics->written_ns &&
         now_ns - metrics->written_ns < METRICS_EVERY_NS))
        return;
    metrics->written_ns = now_ns;
    rc = replace_metrics(metrics, core, sources, now_ns, &err);
    if (rc && !metrics->failed)
        say("metrics: %s", err.text);
    metrics->failed = rc;
}

void metrics_remove(const struct metrics *metrics)
{
    if (metrics->path)
        unlink(metrics->path);
}
