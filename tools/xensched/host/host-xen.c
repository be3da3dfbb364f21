/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connects the daemon with Xen and its toolstack: reads the host's state and sets affinities.  It
 * makes no decisions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

#include "base/alloc.h"
#include "domains-xen.h"
#include "host-xen.h"
#include "llc-xen.h"
#include "xen-queries.h"
#include "pmc.h"
#include "base/blocking-call.h"
#include "base/message.h"
#include "toolstack.h"
#include "hypervisor-versions.h"
#include "xenstore.h"

/* Each accounting domain that was ever used costs 128 bytes per pCPU. */
#define NR_ACCT 1024

struct host_xen {
    struct host host;
    const struct choice *choice;
    const struct pmc *pmc;
    struct logs logs;
    struct xensched_area *area;
    struct xenstore *xs;
    xentoollog_logger *log;
    xc_interface *xch;
    const char *named_llc; /* NULL: none */
    unsigned int nr_cpus;
    bool shared_queues;
    struct domains_xen domains;
};

/* The list was right at the start; pCPUs that came later can make it wrong. */
static void name_llc(struct host_xen *hx, struct topology *t)
{
    struct xensched_error err;

    if (!llc_named(t, hx->named_llc, &err))
        return;
    say("%s; xenschedd ignores the list from now on", err.text);
    hx->named_llc = NULL;
}

/*
 * Xen for Arm reads no topology: it reports core 0 of socket 0 for every pCPU.  This function makes
 * each pCPU a core; processors whose cores have threads are rare there.
 */
static unsigned int core_of(unsigned int cpu, const xc_cputopo_t *reported)
{
#if defined(__arm__) || defined(__aarch64__)
    (void)reported;
    return cpu;
#else
    (void)cpu;
    return reported->core;
#endif
}

static int read_topology(void *data, struct topology *t, struct xensched_error *err)
{
    struct host_xen *hx = data;
    xc_cputopo_t *cpus = need_memory(hx->nr_cpus, sizeof(*cpus));
    unsigned int nr = hx->nr_cpus, i;

    if (xc_cputopoinfo(hx->xch, &nr, cpus)) {
        free(cpus);
        return xensched_fail(err, errno, "cannot get the topology of the "
                             "host: %s", strerror(errno));
    }
    topology_init(t, hx->nr_cpus);
    for (i = 0; i < nr && i < hx->nr_cpus; i++) {
        if (cpus[i].core == XEN_INVALID_CORE_ID)
            continue;
        t->cpus[i].online = true;
        t->cpus[i].core = core_of(i, &cpus[i]);
        t->cpus[i].socket = cpus[i].socket;
        t->cpus[i].node = cpus[i].node;
    }
    free(cpus);
    llc_xen_fill_in(hx->xch, t);
    if (hx->named_llc)
        name_llc(hx, t);
    topology_make_places(t);
    t->shared_queues = hx->shared_queues;

    return 0;
}

/* Is an operator's list of caches possible on this host as it is now? */
static int check_llc(struct host_xen *hx, const char *named,
                     struct xensched_error *err)
{
    struct topology t;
    int rc = named ? read_topology(hx, &t, err) : 0;

    if (rc || !named)
        return rc;
    rc = llc_named(&t, named, err);
    hx->named_llc = named;
    topology_free(&t);

    return rc;
}

/* Domains. */

static int get_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err)
{
    const struct host_xen *hx = data;

    return domains_xen_get_affinity(&hx->domains, domid, vcpu, hard, soft, err);
}

static int set_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err)
{
    const struct host_xen *hx = data;

    return domains_xen_set_affinity(&hx->domains, domid, vcpu, hard, soft, err);
}

static bool is_gone(void *data, uint32_t domid, const char *uuid)
{
    const struct host_xen *hx = data;

    return domains_xen_is_gone(&hx->domains, domid, uuid);
}

/* A query to xenstored or to the toolstack. */
struct domain_query {
    struct host_xen *hx;
    struct domains *domains;
    uint32_t domid;
    bool vcpus;
    struct xensched_error *err;
};

static int ask_for_domains(void *arg)
{
    const struct domain_query *q = arg;

    return domains_xen_list(&q->hx->domains, q->domains, q->vcpus, q->err);
}

static int all_domains(void *data, struct domains *domains,
                       struct xensched_error *err)
{
    struct domain_query q = {
        .hx = data, .domains = domains, .vcpus = true, .err = err,
    };

    return blocking_call(ask_for_domains, &q);
}

static int list_domains(void *data, struct domains *domains, struct xensched_error *err)
{
    struct domain_query q = { .hx = data, .domains = domains, .err = err };

    return blocking_call(ask_for_domains, &q);
}

static int ask_toolstack(void *arg)
{
    const struct domain_query *q = arg;

    return toolstack_names_affinity(q->domid);
}

static int names_affinity(void *data, uint32_t domid)
{
    struct domain_query q = { .hx = data, .domid = domid };

    return blocking_call(ask_toolstack, &q);
}

static int read_memory(void *data, struct distances *d, uint64_t *frames,
                       struct xensched_error *err)
{
    const struct host_xen *hx = data;

    return memory_xen_describe(hx->xch, d, frames, err);
}

static int read_owners(void *data, uint64_t *at, uint32_t step,
                       struct host_owner *owners, struct xensched_error *err)
{
    const struct host_xen *hx = data;

    return memory_xen_owners(hx->xch, at, step, owners, err);
}

/* Logging. */

static void route_acct(struct host_xen *hx, uint16_t acct, bool on)
{
    logs_route(&hx->logs, hx->choice, hx->area, acct, ~0U, on);
}

static int bind_domain(void *data, uint32_t domid, uint16_t acct,
                       struct xensched_error *err)
{
    struct host_xen *hx = data;

    route_acct(hx, acct, true);

    return xensched_area_bind(hx->area, domid, acct, err);
}

static void unbind_domain(void *data, uint32_t domid)
{
    struct host_xen *hx = data;

    /* Most often the domain has ended, so an error means nothing. */
    if (hx->area)
        xensched_area_bind(hx->area, domid, XEN_SCHEDLOG_ACCT_REST, NULL);
}

static void retire_acct(void *data, uint16_t acct)
{
    struct host_xen *hx = data;

    if (hx->area)
        route_acct(hx, acct, false);
}

static void set_threshold(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold)
{
    struct host_xen *hx = data;

    logs_set_threshold(&hx->logs, hx->area, acct, event, threshold);
}

static int choose_selects(struct host_xen *hx, struct xensched_error *err)
{
    uint64_t select[PMC_MAX];
    unsigned int i;

    for (i = 0; i < hx->pmc->nr; i++) {
        select[i] = hx->pmc->select[i];
        if (select[i] == PMC_MISSES)
            select[i] = pmc_misses();
        if (!select[i])
            return xensched_fail(err, ENODEV, "it is not known how this "
                                 "processor counts cache misses: give the "
                                 "event select instead, see --pmc");
    }

    return xensched_area_pmc(hx->area, hx->pmc->nr, select, err);
}

/* Without performance counters all else works. */
static uint32_t choose_counters(struct host_xen *hx, uint32_t events)
{
    const uint32_t pmcs = events & pmc_events(hx->pmc);
    struct xensched_error err;

    hx->host.refused &= ~pmc_events(hx->pmc);
    if (!pmcs || !choose_selects(hx, &err))
        return events;
    say("performance counters (pmc0 and following) are not logged: %s",
        err.text);
    hx->host.refused |= pmcs;

    return events & ~pmcs;
}

/* The daemon may run on the hypervisor of an older release until the next boot. */
static uint32_t leave_out_missing(struct host_xen *hx, uint32_t events, uint32_t built)
{
    const uint32_t later = 1U << XEN_SCHEDLOG_EV_PREEMPT_DELAY |
                           1U << XEN_SCHEDLOG_EV_WAIT_PART;
    uint32_t missing = events & later & ~built;

    hx->host.refused &= ~later;
    hx->host.refused |= missing;
    if (missing)
        say("preempt-delay and wait-part are not logged: this hypervisor does not have "
            "them; boot the one that is installed");

    return events & ~missing;
}

static int start_log(void *data, uint32_t lease_ms, struct xensched_error *err)
{
    struct host_xen *hx = data;
    uint32_t events = choice_events(hx->choice, HYPERVISOR);
    struct xensched_area_info info;
    int rc = xensched_area_info(hx->area, &info, err);

    if (rc)
        return rc;
    if (hx->choice->all)
        events &= info.events_built;

    events = leave_out_missing(hx, events, info.events_built);
    events = choose_counters(hx, events);
    if (!events && hx->host.refused)
        return xensched_fail(err, ENODEV, "no other event than that is chosen: "
                             "see --log");

    return xensched_area_events(hx->area, events, lease_ms, err);
}

static void renew_lease(void *data)
{
    struct host_xen *hx = data;

    xensched_area_renew_lease(hx->area);
}

static int read_facts(void *data, struct host_facts *f, struct xensched_error *err)
{
    struct host_xen *hx = data;
    struct xensched_area_info info;
    uint32_t cpu;
    int rc = xensched_area_info(hx->area, &info, err);

    if (rc)
        return rc;
    *f = (struct host_facts){
        .abi_version = info.abi_version,
        .events_built = info.events_built,
        .events_enabled = info.events_enabled,
        .nr_sites = info.nr_sites,
        .log_bytes = info.used_bytes,
        .lease_ms = info.lease_ms,
        .lease_left_ms = info.lease_left_ms,
        .nr_pmcs = info.nr_pmcs,
    };
    for (cpu = 0; cpu < xensched_area_cpus(hx->area); cpu++)
        f->pcpus += xensched_area_has_cpu(hx->area, cpu);

    return 0;
}

/*
 * An area that a killed daemon left has routes, and its events are on.  Removes them, so that no
 * row has a number that means another domain.
 */
static int prepare_area(struct host_xen *hx, struct xensched_error *err)
{
    int rc = xensched_area_events(hx->area, 0, 0, err);

    if (rc)
        return rc;
    logs_prepare(&hx->logs, hx->area);
    route_acct(hx, XEN_SCHEDLOG_ACCT_REST, true);
    logs_route_xen(&hx->logs, hx->choice, hx->area);

    return 0;
}

void host_xen_drop_area(struct host_xen *hx)
{
    xensched_area_close(hx->area);
    hx->area = NULL;
}

int host_xen_make_area(struct host_xen *hx, bool replace, uint64_t cookie,
                       struct xensched_error *err)
{
    int rc = xensched_area_setup(&hx->logs.geometry, replace, cookie,
                                 &hx->area, err);

    if (rc)
        return rc;
    rc = prepare_area(hx, err);
    if (rc)
        host_xen_drop_area(hx);

    return rc;
}

static int connect_xen(struct host_xen *hx, struct xensched_error *err)
{
    int scheduler, nr;

    hx->log = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    hx->xch = xc_interface_open(hx->log, hx->log, 0);
    if (!hx->xch)
        return xensched_fail(err, errno, "cannot open /dev/xen/privcmd: %s "
                             "(is this dom0, and root?)", strerror(errno));
    nr = xc_get_max_cpus(hx->xch);
    if (nr <= 0)
        return xensched_fail(err, errno, "cannot ask Xen for its pCPUs: %s "
                             "(is this dom0, and root?)", strerror(errno));
    hx->nr_cpus = nr;
    hx->domains.xch = hx->xch;
    hx->domains.nr_cpus = nr;
    if (llc_xen_is_missing(hx->xch))
        say("this hypervisor does not report last-level caches, so that each socket counts as "
            "one; boot the hypervisor that is installed");
    /* By default a run queue has the pCPUs of a socket. */
    hx->shared_queues = !xc_sched_id(hx->xch, &scheduler) &&
                        scheduler == XEN_SCHEDULER_CREDIT2;

    return 0;
}

/* Without a boot id, files on the disk count as written in this boot. */
static void read_boot(char boot[HOST_BOOT_TEXT])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (!f || !fgets(boot, HOST_BOOT_TEXT, f))
        boot[0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    if (f)
        fclose(f);
}

static unsigned int read_channels(void *data, uint32_t domid,
                                  struct host_channel *found, unsigned int nr)
{
    struct host_xen *hx = data;

    return channels_xen_find(hx->xch, domid, found, nr);
}

struct ports_query {
    struct host_xen *hx;
    uint32_t domid, *ports;
};

static int ask_for_tool_ports(void *arg)
{
    const struct ports_query *q = arg;

    xenstore_tool_ports(q->hx->xs, q->domid, q->ports);

    return 0;
}

static void tool_ports(void *data, uint32_t domid,
                       uint32_t ports[HOST_TOOL_PORTS])
{
    struct ports_query q = { data, domid, ports };

    blocking_call(ask_for_tool_ports, &q);
}

int host_xen_open(struct host_xen **host_xen, const struct choice *choice,
                  const struct pmc *pmc,
                  const char *llc, const char *soft_pools,
                  struct xensched_error *err)
{
    struct host_xen *hx = need_memory(1, sizeof(*hx));
    int rc;

    hx->choice = choice;
    hx->pmc = pmc;
    hx->domains.soft_pools = soft_pools;
    logs_init(&hx->logs, choice, HYPERVISOR, NR_ACCT);
    hx->host = (struct host){
        .data = hx,
        .topology = read_topology,
        .memory = read_memory,
        .owners = read_owners,
        .domains = all_domains,
        .list_domains = list_domains,
        .is_gone = is_gone,
        .get_affinity = get_affinity,
        .set_affinity = set_affinity,
        .get_soft_weight = soft_weight_read,
        .set_soft_weight = soft_weight_write,
        .names_affinity = names_affinity,
        .channels = read_channels,
        .tool_ports = tool_ports,
        .nr_acct = NR_ACCT,
        .bind = bind_domain,
        .unbind = unbind_domain,
        .retire = retire_acct,
        .set_threshold = set_threshold,
        .log = start_log,
        .alive = renew_lease,
        .facts = read_facts,
    };
    read_boot(hx->host.boot);
    hx->host.xapi = xapi_is_here();
    rc = connect_xen(hx, err);
    if (!rc)
        rc = check_llc(hx, llc, err);
    if (rc) {
        host_xen_close(hx);
        return rc;
    }
    *host_xen = hx;

    return 0;
}

static int open_xenstore(void *arg)
{
    const struct domain_query *q = arg;

    return xenstore_open(&q->hx->xs, q->err);
}

int host_xen_connect(struct host_xen *hx, struct xensched_error *err)
{
    struct domain_query q = { .hx = hx, .err = err };
    int rc = blocking_call(open_xenstore, &q);

    hx->domains.xs = hx->xs;

    return rc;
}

const struct host *host_xen_host(const struct host_xen *hx)
{
    return &hx->host;
}

struct xensched_area *host_xen_area(const struct host_xen *hx)
{
    return hx->area;
}

struct xenstore *host_xen_xenstore(const struct host_xen *hx)
{
    return hx->xs;
}

static int check_xenstore(void *arg)
{
    const struct domain_query *q = arg;

    return xenstore_check(q->hx->xs, q->err);
}

int host_xen_check_xenstore(struct host_xen *hx, struct xensched_error *err)
{
    struct domain_query q = { .hx = hx, .err = err };

    return blocking_call(check_xenstore, &q);
}

struct pool_query {
    struct host_xen *hx;
    const char *name;
};

static int ask_for_pool(void *arg)
{
    const struct pool_query *q = arg;

    return xenstore_has_pool(q->hx->xs, q->name);
}

bool host_xen_has_pool(struct host_xen *hx, const char *name)
{
    struct pool_query q = { hx, name };

    return blocking_call(ask_for_pool, &q);
}

int host_xen_watch_fd(const struct host_xen *hx)
{
    return xenstore_fd(hx->xs);
}

static int take_changes(void *arg)
{
    const struct domain_query *q = arg;

    return xenstore_changed(q->hx->xs);
}

bool host_xen_changed(struct host_xen *hx)
{
    struct domain_query q = { .hx = hx };

    return blocking_call(take_changes, &q);
}

int host_xen_refresh(struct host_xen *hx, struct xensched_error *err)
{
    int rc = xensched_area_refresh(hx->area, err);

    return rc < 0 ? rc : 0;
}

void host_xen_close(struct host_xen *hx)
{
    struct xensched_error err;

    if (!hx)
        return;
    if (hx->area && xensched_area_release(hx->area, &err))
        say("%s", err.text);
    xenstore_close(hx->xs);
    if (hx->xch)
        xc_interface_close(hx->xch);
    xtl_logger_destroy(hx->log);
    free(hx);
}
