/* SPDX-License-Identifier: GPL-2.0-only */
/* Observes the host for the core: memory, servers and work of guests. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "base/message.h"
#include "model/topology/distance.h"
#include "model/residency/servers.h"
#include "observe-host.h"

/* Memory. */

/*
 * In one run: 65,536 frames, HOST_OWNERS of them with each call.  A count takes four runs, and
 * the next one begins five minutes later (census.h).
 */
#define CALLS_PER_RUN 16

void count_memory_start(struct core *core)
{
    const struct host *host = core->host;
    struct xensched_error err;

    if (!host->memory)
        return;
    if (host->memory(host->data, &core->distances, &core->frames, &err)) {
        say("%s; nothing is known of distances", err.text);
        return;
    }
    core->distances_known = true;
    distances_relate(&core->distances, &core->topology);
    count_memory_distances(core);
    census_init(&core->census, core->distances.nr_nodes);
    core->counts = core->distances.nr_nodes > 1;
}

void count_memory_distances(struct core *core)
{
    const char *path = core->settings.distances_path;
    struct xensched_error err;
    int rc;

    if (!core->distances_known || !path)
        return;
    rc = distances_read(&core->distances, path, core->topology.nr_cpus, &err);
    if (rc && rc != -ENOENT)
        say("%s; distances are as before", err.text);
}

static bool count_part(struct core *core)
{
    const struct host *host = core->host;
    struct host_owner owners[HOST_OWNERS];
    struct xensched_error err;
    int nr, i;

    nr = host->owners(host->data, &core->frame, core->census.part.step, owners,
                      &err);
    for (i = 0; i < nr; i++)
        census_add(&core->census, owners[i].domid, owners[i].node);
    if (nr < 0) {
        say("%s: placement does without", err.text);
        core->counts = false;
        census_end(&core->census, false);
    } else if (!core->frame) {
        census_end(&core->census, true);
    }

    return core->census.counting;
}

void count_memory(struct core *core, uint64_t now_ns)
{
    struct census *c = &core->census;
    unsigned int calls;

    if (core->counts && census_is_due(c, &core->domains, now_ns))
        core->frame = census_begin(c, core->frames, now_ns);
    for (calls = 0; c->counting && calls < CALLS_PER_RUN; calls++) {
        if (!count_part(core))
            break;
        core_do_urgent(core);
    }
    census_tell(c, &core->domains);
}

void count_memory_end(struct core *core)
{
    if (core->distances_known)
        distances_free(&core->distances);
    census_free(&core->census);
}

/* Servers. */

/* Channels rarely change, and reading takes a hypercall for each. */
#define FIND_NS 10000000000ULL

/* Maximum number for one driver domain; the others are ignored. */
#define MAX_CHANNELS 8192

static int by_front_end(const void *a, const void *b)
{
    const struct host_channel *one = a, *other = b;

    return one->domid < other->domid ? -1 : one->domid > other->domid;
}

static void keep_channels(struct core *core, uint32_t domid,
                          const struct host_channel *channel)
{
    core->served = need_more_memory(core->served, core->nr_served + 1,
                                    sizeof(*core->served));
    core->served[core->nr_served++] = (struct served){
        domid, { channel->domid, channel->vcpu }
    };
}

/*
 * Keeps the channels of one front end to driver domain @d.  The channels of xenstored and the
 * console belong to dom0, but not to its back ends.
 */
static void keep_devices(struct core *core, const struct domain *d,
                         const struct host_channel *channels, unsigned int nr)
{
    uint32_t ports[HOST_TOOL_PORTS];
    unsigned int i, k;

    if (!domains_find(&core->domains, channels->domid))
        return;
    core->host->tool_ports(core->host->data, channels->domid, ports);
    for (i = 0; i < nr; i++) {
        bool tool = false;

        for (k = 0; k < HOST_TOOL_PORTS; k++)
            tool = tool || (ports[k] && ports[k] == channels[i].remote_port);
        if (!tool && channels[i].vcpu < d->nr_vcpus)
            keep_channels(core, d->domid, &channels[i]);
    }
}

static void ask_channels(struct core *core, const struct domain *d)
{
    struct host_channel *channels = need_memory(MAX_CHANNELS,
                                                sizeof(*channels));
    unsigned int nr, i, end;

    nr = core->host->channels(core->host->data, d->domid, channels,
                              MAX_CHANNELS);
    qsort(channels, nr, sizeof(*channels), by_front_end);
    for (i = 0; i < nr; i = end) {
        for (end = i + 1; end < nr; end++)
            if (channels[end].domid != channels[i].domid)
                break;
        keep_devices(core, d, &channels[i], end - i);
        core_do_urgent(core);
    }
    free(channels);
}

/* Entries of a driver domain are adjacent. */
static void fill_in_servers(struct core *core)
{
    struct domain *d = NULL;
    unsigned int i;

    for (i = 0; i < core->nr_served; i++) {
        const struct served *s = &core->served[i];

        if (!i || s->domid != s[-1].domid) {
            d = domains_find(&core->domains, s->domid);
            if (d && !servers_matter(&core->topology, d))
                d = NULL;
        }
        if (d && s->server.vcpu < d->nr_vcpus)
            servers_add(d, s->server.front_end, s->server.vcpu);
    }
}

void find_servers(struct core *core, uint64_t now_ns)
{
    unsigned int i;

    if (!core->host->channels)
        return;
    if (!core->served_ns || now_ns - core->served_ns >= FIND_NS) {
        core->served_ns = now_ns;
        core->nr_served = 0;
        for (i = 0; i < core->domains.nr; i++) {
            const struct domain *d = &core->domains.domain[i];

            if (servers_matter(&core->topology, d))
                ask_channels(core, d);
        }
    }
    fill_in_servers(core);
}

void find_servers_end(struct core *core)
{
    free(core->served);
}

/* Work. */

/* A shorter period is too inaccurate. */
#define LEAST_NS 5000000000ULL

/* The period of the rates for policies. */
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

/* The part of its waits while Xen's idle vCPU had the pCPU. */
static double idled_of(const struct waits_of *of)
{
    unsigned int i;

    for (i = 0; i < of->nr_culprits; i++)
        if (of->culprit[i].domain.identity == WAITS_XEN && of->ns)
            return fmin((double)of->culprit[i].all.ns / of->ns, 1);

    return 0;
}

/* The mean time from a wake-up to the run, in ns; 0 without runs after wake-ups. */
static double delay_of(const struct waits_of *of)
{
    double ns = (double)of->ns - of->preempted_ns - of->cut_ns;

    return of->wakes ? fmax(ns, 0) / of->wakes : 0;
}

/* Rates and the mean delay of @d over the seconds of @report. */
static struct domain_wakes wakes_of(const struct core *core, const struct waits_report *report,
                                    const struct domain *d)
{
    const struct waits_of *of = waits_find(core->waits, report, d->acct);
    double part = report->seconds ? 1.0 / report->seconds : 0;
    bool migrations = is_logged(core, XEN_SCHEDLOG_EV_MIGRATE);

    return (struct domain_wakes){
        .known = d->acct >= XEN_SCHEDLOG_ACCT_FIRST && report->seconds &&
                 is_logged(core, XEN_SCHEDLOG_EV_WAKE_DELAY),
        .wakes = of ? part * of->wakes : 0,
        .delay = of ? delay_of(of) : 0,
        .migrations = !migrations ? -1 : of ? part * of->moves : 0,
        .idled = of ? idled_of(of) : 0,
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
        struct domain_wakes wakes = wakes_of(core, &report, &core->domains.domain[i]);

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
        domains->domain[i].wakes = wakes_of(core, &report, &domains->domain[i]);
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
