/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the waits of the last minute: how long, why, and for which domains. */
#include <inttypes.h>
#include <math.h>

#include "base/openmetrics.h"
#include "metrics-parts.h"

/*
 * Waits of the last minute.  A smaller part of a pCPU gets no time series, and for each domain only
 * this many of the domains for which it waited the longest do.
 */
#define WAITS_LOOK_S   60
#define MIN_WAIT_RATIO 0.001
#define MAX_CULPRITS   3

/* Maximum number of pairs of domains, those with the longest waits. */
#define MAX_WAITS 1000

static void write_waits_end(FILE *out, const char *prefix, const struct waits_end *end)
{
    char label[32];

    snprintf(label, sizeof(label), "%sdomain", prefix);
    openmetrics_label(out, label, end->name ?: "");
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
        write_waits_end(out, "", &report->of[i].domain);
        fprintf(out, "} %.5f\n", 1e-9 * report->of[i].ns / report->seconds);
    }
}

/* Small parts get no time series. */
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
            write_waits_end(out, "", &report->of[i].domain);
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
            write_waits_end(out, "", &report->of[i].domain);
            fprintf(out, ",part=\"%g\"} %.7f\n", parts[k],
                    1e-9 * waits_quantile(&report->of[i], parts[k]));
        }
}

/* The remaining time of its vCPUs. */
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

        if (d->paused || !core_service(core, d, now_ns, &share))
            continue;
        left -= share;
        if (of)
            left -= 1e-9 * (of->ns + of->offline_ns) / report->seconds;
        metrics_begin_sample(out, "blocked_ratio", d);
        fprintf(out, "} %.4f\n", fmax(0, left));
    }
}

static unsigned int write_culprits(FILE *out, const struct waits_of *of, uint64_t seconds)
{
    unsigned int i;

    for (i = 0; i < of->nr_culprits && i < MAX_CULPRITS; i++) {
        double ratio = 1e-9 * of->culprit[i].all.ns / seconds;

        if (ratio < MIN_WAIT_RATIO)
            break;
        fputs("xensched_waits_for_ratio{", out);
        write_waits_end(out, "", &of->domain);
        putc(',', out);
        write_waits_end(out, "for_", &of->culprit[i].domain);
        fprintf(out, "} %.5f\n", ratio);
    }

    return i;
}

void metrics_write_waits(FILE *out, const struct core *core, uint64_t now_ns)
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
    for (i = 0; i < report.nr && nr < MAX_WAITS; i++)
        nr += write_culprits(out, &report.of[i], report.seconds);
    waits_report_free(&report);
}
