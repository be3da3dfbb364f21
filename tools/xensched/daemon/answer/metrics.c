/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the metrics file: the daemon's own metrics here, others by metrics-*.c.
 * docs/operate/metrics.md has the names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/openmetrics.h"
#include "host/hypervisor-versions.h"
#include "metrics-parts.h"
#include "metrics.h"
#include "base/message.h"

/* The daemon. */

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
    openmetrics_family(out, "restores", "counter", "domains restored");
    fprintf(out, "xensched_restores_total %" PRIu64 "\n", core->restores);
    openmetrics_family(out, "journal_failures", "counter",
                       "journal entries which could not be written");
    fprintf(out, "xensched_journal_failures_total %u\n",
            core->journal.failures);
}

static double seconds_of(const struct timeval *t)
{
    return t->tv_sec + t->tv_usec / 1e6;
}

/* The daemon's own cost. */
static void write_cost(FILE *out, const struct core *core, uint64_t now_ns)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    openmetrics_family(out, "cpu_seconds", "counter",
                       "CPU time of the daemon");
    fprintf(out, "xensched_cpu_seconds_total %.3f\n",
            seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime));
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
                       "how often because Xen reported that it fills up");
    fprintf(out, "xensched_rings_total %" PRIu64 "\n", core->rings);
    openmetrics_family(out, "matrix_size", "gauge",
                       "numbers in the affinity matrix");
    fprintf(out, "xensched_matrix_size %zu\n", matrix_size(core->matrix));
}

/* The hypervisor. */

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

/* The daemon's sources. */

static void write_source(FILE *out, const char *name, const struct log_source *source,
                         uint64_t value)
{
    fprintf(out, "xensched_%s{", name);
    openmetrics_label(out, "source", source->name);
    fprintf(out, "} %" PRIu64 "\n", value);
}

/* A number of each source. */
struct source_number {
    const char *name, *sample, *type, *help;
    uint64_t (*of)(const struct log_source *source,
                   const struct xensched_source_stats *stats);
};

static uint64_t is_reading(const struct log_source *source,
                           const struct xensched_source_stats *stats)
{
    (void)stats;

    return source->state == LOG_SOURCE_READING;
}

static uint64_t rows_of(const struct log_source *source,
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

static uint64_t refused_rows_of(const struct log_source *source,
                                const struct xensched_source_stats *stats)
{
    (void)stats;

    return source->refused;
}

static const struct source_number source_numbers[] = {
    { "source_reading", "source_reading", "gauge",
      "1 if the log of this source is read", is_reading },
    { "rows", "rows_total", "counter", "rows read", rows_of },
    { "lost_rows", "lost_rows_total", "counter",
      "rows overwritten before they could be read", lost_rows },
    { "lost_bytes", "lost_bytes_total", "counter",
      "bytes overwritten before they could be read", lost_bytes },
    { "refused_rows", "refused_rows_total", "counter",
      "rows of a driver domain which it had no right to", refused_rows_of },
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

static void write_all(FILE *out, const struct core *core,
                      const struct log_sources *sources, const char *root,
                      uint64_t now_ns)
{
    write_mode(out, core);
    write_changes(out, core);
    write_cost(out, core, now_ns);
    write_versions(out, root);
    write_sources(out, sources);
    metrics_write_domains(out, core, now_ns);
    write_soft_weight(out, core);
    write_trial(out, core);
    metrics_write_waits(out, core, now_ns);
}

/* The temporary "PATH.new" does no harm: node_exporter reads only files that end in .prom. */
static int replace_metrics(const struct metrics *metrics,
                           const struct core *core, const struct log_sources *sources,
                           uint64_t now_ns, struct xensched_error *err)
{
    struct openmetrics m;
    int rc = openmetrics_begin(&m, err);

    if (rc)
        return rc;
    write_all(m.out, core, sources, metrics->root ?: "", now_ns);

    return openmetrics_end(&m, metrics->path, err);
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
