/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps two former states of the counters, so that the cost of work can be given for the
 * last half minute to minute at any time.
 */
#include <xensched/abi.h>

#include "watch-work.h"

/* Less says nothing. */
#define LEAST_NS 5000000000ULL

/* Rates that policies see. */
#define RECENT_S 10

#define NS_PER_S 1000000000ULL

void watch_work(struct core *core, uint64_t now_ns)
{
    if (core->work_newer &&
        now_ns - work_sums_time(core->work_newer) < WATCH_WORK_NS)
        return;
    work_sums_free(core->work_older);
    core->work_older = core->work_newer;
    core->work_newer = work_sums_take(core->matrix, &core->domains, now_ns);
}

void watch_work_end(struct core *core)
{
    work_sums_free(core->work_older);
    work_sums_free(core->work_newer);
}

static bool is_logged(const struct core *core, unsigned int event)
{
    return choice_events(&core->settings.choice, HYPERVISOR) & ~core->host->refused &
           1U << event;
}

/* Rates of @d over the seconds of @report. */
static struct domain_wakes wakes_of(const struct core *core, const struct domains *domains,
                                    const struct waits_report *report,
                                    const struct domain *d)
{
    const struct waits_of *of = waits_find(core->waits, report, d->acct);
    double part = report->seconds ? domains_part(domains, d) / report->seconds : 0;
    bool migrations = is_logged(core, XEN_SCHEDLOG_EV_MIGRATE);

    return (struct domain_wakes){
        .known = report->seconds && is_logged(core, XEN_SCHEDLOG_EV_WAKE_DELAY),
        .wakes = of ? part * of->wakes : 0,
        .migrations = !migrations ? -1 : of ? part * of->moves : 0,
    };
}

static void count_wakes(const struct core *core, uint64_t then_ns, uint64_t now_ns,
                        struct work *work)
{
    uint64_t first_s = then_ns / NS_PER_S;
    double seconds = (double)(now_ns - then_ns) / NS_PER_S;
    struct waits_report report;
    unsigned int i;

    waits_ask(core->waits, first_s, now_ns / NS_PER_S - first_s, &report);
    for (i = 0; i < core->domains.nr; i++) {
        struct domain_wakes wakes = wakes_of(core, &core->domains, &report,
                                             &core->domains.domain[i]);

        if (!wakes.known)
            continue;
        work[i].wakes = seconds * wakes.wakes;
        if (wakes.migrations >= 0)
            work[i].migrations = seconds * wakes.migrations;
    }
    waits_report_free(&report);
}

void watch_wakes(const struct core *core, struct domains *domains, uint64_t now_ns)
{
    uint64_t now_s = now_ns / NS_PER_S;
    struct waits_report report;
    unsigned int i;

    waits_ask(core->waits, now_s > RECENT_S ? now_s - RECENT_S : 0, RECENT_S, &report);
    for (i = 0; i < domains->nr; i++)
        domains->domain[i].wakes = wakes_of(core, domains, &report, &domains->domain[i]);
    waits_report_free(&report);
}

struct work *watch_work_recent(const struct core *core, uint64_t now_ns,
                               uint64_t *for_ns)
{
    const struct work_sums *then = core->work_older ? core->work_older
                                                    : core->work_newer;
    struct work_sums *now;
    struct work *work;

    if (!then || now_ns < work_sums_time(then) + LEAST_NS)
        return NULL;
    now = work_sums_take(core->matrix, &core->domains, now_ns);
    *for_ns = now_ns - work_sums_time(then);
    work = work_between(then, now);
    count_wakes(core, work_sums_time(then), now_ns, work);
    work_sums_free(now);

    return work;
}
