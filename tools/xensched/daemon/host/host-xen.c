/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-xen.c - see host-xen.h.  It asks and sets, and decides nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

#include "model/memory.h"
#include "host-xen.h"
#include "llc-xen.h"
#include "memory-xen.h"
#include "pmc.h"
#include "daemon/aside.h"
#include "daemon/say.h"
#include "soft-weight-xen.h"
#include "toolstack.h"
#include "xenstore.h"

/* Of those that were ever used each costs 128 bytes per pCPU. */
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
    struct llc_xen llc;
    const char *named_llc; /* NULL: none */
    const char *soft_pools; /* likewise */
    unsigned int nr_cpus;
    bool shared_queues;
    char said[sizeof(((struct xensched_error *)0)->text)];
};

static int failed(struct xensched_error *err, const char *what, uint32_t domid)
{
    return xensched_fail(err, errno ? errno : EIO, "%s of domain %u: %s", what,
                         domid, strerror(errno));
}

/* Maps: libxc's are bytes. */

static xc_cpumap_t to_bytes(const struct host_xen *hx,
                            const struct cpumap *map)
{
    xc_cpumap_t bytes = need_memory(xc_get_cpumap_size(hx->xch), 1);
    unsigned int cpu;

    for (cpu = 0; cpu < map->nr_cpus; cpu++)
        if (cpumap_test(map, cpu))
            bytes[cpu / 8] |= 1U << cpu % 8;

    return bytes;
}

static void from_bytes(struct cpumap *map, const uint8_t *bytes)
{
    unsigned int cpu;

    for (cpu = 0; cpu < map->nr_cpus; cpu++)
        if (bytes[cpu / 8] & (1U << cpu % 8))
            cpumap_set(map, cpu);
}

static int get_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err)
{
    struct host_xen *hx = data;
    xc_cpumap_t h = to_bytes(hx, hard), s = to_bytes(hx, soft);
    int rc = 0;

    if (xc_vcpu_getaffinity(hx->xch, domid, vcpu, h, s,
                            XEN_VCPUAFFINITY_HARD | XEN_VCPUAFFINITY_SOFT)) {
        rc = failed(err, "cannot get the affinity", domid);
    } else {
        from_bytes(hard, h);
        from_bytes(soft, s);
    }
    free(h);
    free(s);

    return rc;
}

static int set_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err)
{
    struct host_xen *hx = data;
    xc_cpumap_t h = hard ? to_bytes(hx, hard) : NULL;
    xc_cpumap_t s = soft ? to_bytes(hx, soft) : NULL;
    int rc = 0;

    if (xc_vcpu_setaffinity(hx->xch, domid, vcpu, h, s,
                            (hard ? XEN_VCPUAFFINITY_HARD : 0) |
                            (soft ? XEN_VCPUAFFINITY_SOFT : 0)))
        rc = failed(err, "cannot set the affinity", domid);
    free(h);
    free(s);

    return rc;
}

/* It was right at first; pCPUs that came since can have made it wrong. */
static void name_llc(struct host_xen *hx, struct topology *t)
{
    struct xensched_error err;

    if (!llc_named(t, hx->named_llc, &err))
        return;
    say("%s; it is not looked at any more", err.text);
    hx->named_llc = NULL;
}

static int topology(void *data, struct topology *t, struct xensched_error *err)
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
        t->cpus[i].core = cpus[i].core;
        t->cpus[i].socket = cpus[i].socket;
        t->cpus[i].node = cpus[i].node;
    }
    free(cpus);
    llc_xen_fill_in(&hx->llc, t);
    if (hx->named_llc)
        name_llc(hx, t);
    topology_make_places(t);
    t->shared_queues = hx->shared_queues;

    return 0;
}

/* Is what an operator has named as this host is now? */
static int check_llc(struct host_xen *hx, const char *named,
                     struct xensched_error *err)
{
    struct topology t;
    int rc = named ? topology(hx, &t, err) : 0;

    if (rc || !named)
        return rc;
    rc = llc_named(&t, named, err);
    hx->named_llc = named;
    topology_free(&t);

    return rc;
}

/* Domains. */

static int get_vcpu(struct host_xen *hx, struct domain *d, unsigned int i,
                    struct xensched_error *err)
{
    struct domain_vcpu *vcpu = &d->vcpus[i];
    xc_vcpuinfo_t info;

    if (xc_vcpu_getinfo(hx->xch, d->domid, i, &info))
        return failed(err, "cannot get a vCPU", d->domid);
    vcpu->online = info.online;
    vcpu->cpu = info.cpu;

    return get_affinity(hx, d->domid, i, &vcpu->hard, &vcpu->soft, err);
}

static int get_pool(struct host_xen *hx, struct domain *d,
                    const struct domains *domains, struct xensched_error *err)
{
    xc_cpupoolinfo_t *pool;
    unsigned int i;

    cpumap_init(&d->pool_cpus, hx->nr_cpus);
    /* Most hosts have one cpupool; ask once for each. */
    for (i = 0; i + 1 < domains->nr; i++)
        if (domains->domain[i].pool == d->pool) {
            cpumap_copy(&d->pool_cpus, &domains->domain[i].pool_cpus);
            d->pool_soft = domains->domain[i].pool_soft;
            return 0;
        }
    pool = xc_cpupool_getinfo(hx->xch, d->pool);
    if (!pool)
        return failed(err, "cannot get the cpupool", d->domid);
    if (pool->cpupool_id == d->pool)
        from_bytes(&d->pool_cpus, pool->cpumap);
    xc_cpupool_infofree(hx->xch, pool);
    d->pool_soft = hx->soft_pools &&
                   xenstore_pool_is_one_of(hx->xs, d->pool, hx->soft_pools);

    return 0;
}

static void format_uuid(char text[DOMAIN_UUID_TEXT], const uint8_t *u)
{
    snprintf(text, DOMAIN_UUID_TEXT, "%02x%02x%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4],
             u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
             u[15]);
}

static void get_name(struct host_xen *hx, struct domain *d)
{
    struct xenstore_domain known = xenstore_domain(hx->xs, d->domid);

    snprintf(d->name, sizeof(d->name), "%s", known.name);
    snprintf(d->group, sizeof(d->group), "%s", known.group);
    d->stays = known.stays;
    d->soft_only = known.soft_only;
    d->driver = d->domid == 0;
}

/* Who serves whom; all domains are there. */
static void get_back_ends(struct host_xen *hx, struct domains *domains)
{
    unsigned int i, j;

    for (i = 0; i < domains->nr; i++) {
        uint32_t domid = domains->domain[i].domid;
        struct xenstore_domain known = xenstore_domain(hx->xs, domid);

        for (j = 0; j < known.nr_back_ends; j++) {
            struct domain *d = domains_find(domains, known.back_ends[j]);

            if (d)
                domain_add_serves(d, domid);
        }
    }
}

static void get_identity(struct host_xen *hx, const xc_domaininfo_t *info,
                         struct domain *d)
{
    d->domid = info->domain;
    format_uuid(d->uuid, info->handle);
    get_name(hx, d);
}

static int get_domain(struct host_xen *hx, const xc_domaininfo_t *info,
                      struct domain *d, const struct domains *domains,
                      struct xensched_error *err)
{
    unsigned int i;
    int rc;

    d->pool = info->cpupool;
    rc = get_pool(hx, d, domains, err);
    if (rc)
        return rc;
    if (info->max_vcpu_id != XEN_INVALID_MAX_VCPU_ID)
        domain_make_vcpus(d, info->max_vcpu_id + 1, hx->nr_cpus);
    for (i = 0; !rc && i < d->nr_vcpus; i++)
        rc = get_vcpu(hx, d, i, err);
    memory_xen_times(hx->xch, d);

    return rc;
}

/* It is looked at in each plan; a word in each would say no more. */
static void say_once(struct host_xen *hx, const char *text)
{
    if (!strcmp(hx->said, text))
        return;
    snprintf(hx->said, sizeof(hx->said), "%s", text);
    say("%s; it is left alone until it can be looked at", text);
}

static void add_domain(struct host_xen *hx, const xc_domaininfo_t *info,
                       struct domains *domains, bool vcpus)
{
    struct xensched_error err;
    struct domain *d;
    int rc;

    if (info->flags & XEN_DOMINF_dying)
        return;
    d = domains_add(domains);
    get_identity(hx, info, d);
    rc = vcpus ? get_domain(hx, info, d, domains, &err) : 0;
    if (!rc)
        return;
    domains_drop_last(domains);
    /* It went away while it was looked at. */
    if (rc != -ESRCH && rc != -EINVAL)
        say_once(hx, err.text);
}

static bool is_gone(void *data, uint32_t domid, const char *uuid)
{
    char text[DOMAIN_UUID_TEXT];
    xc_domaininfo_t info;
    struct host_xen *hx = data;

    if (xc_domain_getinfo_single(hx->xch, domid, &info))
        return errno == ESRCH;
    format_uuid(text, info.handle);

    return info.flags & XEN_DOMINF_dying || strcmp(text, uuid);
}

/* What xenstored, or the toolstack, has to be asked for. */
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
    struct host_xen *hx = q->hx;
    xc_domaininfo_t info[64];
    uint32_t first = 0;
    int nr, i;

    do {
        nr = xc_domain_getinfolist(hx->xch, first, 64, info);
        if (nr < 0)
            return xensched_fail(q->err, errno, "cannot list domains: %s",
                                 strerror(errno));
        for (i = 0; i < nr; i++)
            add_domain(hx, &info[i], q->domains, q->vcpus);
        if (nr)
            first = info[nr - 1].domain + 1;
    } while (nr);
    get_back_ends(hx, q->domains);
    xenstore_forget_others(hx->xs);

    return 0;
}

static int all_domains(void *data, struct domains *domains,
                       struct xensched_error *err)
{
    struct domain_query q = {
        .hx = data, .domains = domains, .vcpus = true, .err = err,
    };

    return aside(ask_for_domains, &q);
}

static int who(void *data, struct domains *domains, struct xensched_error *err)
{
    struct domain_query q = { .hx = data, .domains = domains, .err = err };

    return aside(ask_for_domains, &q);
}

static int ask_toolstack(void *arg)
{
    const struct domain_query *q = arg;

    return toolstack_names_affinity(q->domid);
}

static bool names_affinity(void *data, uint32_t domid)
{
    struct domain_query q = { .hx = data, .domid = domid };

    return aside(ask_toolstack, &q);
}

static int memory(void *data, struct distances *d, uint64_t *frames,
                  struct xensched_error *err)
{
    const struct host_xen *hx = data;

    return memory_xen_describe(hx->xch, d, frames, err);
}

static int owners(void *data, uint64_t *at, uint32_t step,
                  struct host_owner *owners, struct xensched_error *err)
{
    const struct host_xen *hx = data;

    return memory_xen_owners(hx->xch, at, step, owners, err);
}

/* Logging. */

static void route(struct host_xen *hx, uint16_t acct, bool on)
{
    logs_route(&hx->logs, hx->choice, hx->area, acct, ~0U, on);
}

static int bind_domain(void *data, uint32_t domid, uint16_t acct,
                       struct xensched_error *err)
{
    struct host_xen *hx = data;

    route(hx, acct, true);

    return xensched_area_bind(hx->area, domid, acct, err);
}

static void unbind_domain(void *data, uint32_t domid)
{
    struct host_xen *hx = data;

    /* Most often it is unbound because it is gone: no need to know. */
    if (hx->area)
        xensched_area_bind(hx->area, domid, XEN_SCHEDLOG_ACCT_REST, NULL);
}

static void retire_acct(void *data, uint16_t acct)
{
    struct host_xen *hx = data;

    if (hx->area)
        route(hx, acct, false);
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

/* Without a PMU all else goes on. */
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

    events = choose_counters(hx, events);
    if (!events && hx->host.refused)
        return xensched_fail(err, ENODEV, "no other event than that is chosen: "
                             "see --log");

    return xensched_area_events(hx->area, events, lease_ms, err);
}

static void alive(void *data)
{
    struct host_xen *hx = data;

    xensched_area_renew_lease(hx->area);
}

static int facts(void *data, struct host_facts *f, struct xensched_error *err)
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
 * An area that a killed daemon left has its routes, and its events are on.
 * Start from nothing, so that no row gets a number which means another domain.
 */
static int prepare_area(struct host_xen *hx, struct xensched_error *err)
{
    int rc = xensched_area_events(hx->area, 0, 0, err);

    if (rc)
        return rc;
    logs_prepare(&hx->logs, hx->area);
    route(hx, XEN_SCHEDLOG_ACCT_REST, true);
    /* Whose run queue it is. */
    logs_route(&hx->logs, hx->choice, hx->area, XEN_SCHEDLOG_ACCT_XEN,
               1U << XEN_SCHEDLOG_EV_RUNQ, true);

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
    llc_xen_open(&hx->llc, hx->xch, hx->log);
    /* By default those of its run queues are a socket's. */
    hx->shared_queues = !xc_sched_id(hx->xch, &scheduler) &&
                        scheduler == XEN_SCHEDULER_CREDIT2;

    return 0;
}

/* Without one, what is on the disk is taken to be of this boot. */
static void read_boot(char boot[HOST_BOOT_TEXT])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (!f || !fgets(boot, HOST_BOOT_TEXT, f))
        boot[0] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    if (f)
        fclose(f);
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
    hx->soft_pools = soft_pools;
    logs_init(&hx->logs, choice, HYPERVISOR, NR_ACCT);
    hx->host = (struct host){
        .data = hx,
        .topology = topology,
        .memory = memory,
        .owners = owners,
        .domains = all_domains,
        .who = who,
        .is_gone = is_gone,
        .get_affinity = get_affinity,
        .set_affinity = set_affinity,
        .get_soft_weight = soft_weight_read,
        .set_soft_weight = soft_weight_write,
        .names_affinity = names_affinity,
        .nr_acct = NR_ACCT,
        .bind = bind_domain,
        .unbind = unbind_domain,
        .retire = retire_acct,
        .set_threshold = set_threshold,
        .log = start_log,
        .alive = alive,
        .facts = facts,
    };
    read_boot(hx->host.boot);
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

int host_xen_connect(struct host_xen *hx, struct xensched_error *err)
{
    return xenstore_open(&hx->xs, err);
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

    return aside(check_xenstore, &q);
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

    return aside(take_changes, &q);
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
    llc_xen_close(&hx->llc);
    if (hx->xch)
        xc_interface_close(hx->xch);
    xtl_logger_destroy(hx->log);
    free(hx);
}
