/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists domains and their affinities, from libxenctrl and xenstore. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "domains-xen.h"
#include "lib/area/area-domain-xen.h"
#include "lib/area/hypercall.h"
#include "xen-queries.h"
#include "base/alloc.h"
#include "xenstore.h"

static int fail_query(struct xensched_error *err, const char *what, uint32_t domid)
{
    return xensched_fail(err, errno ? errno : EIO, "%s of domain %u: %s", what,
                         domid, strerror(errno));
}

/* Maps of libxc are arrays of bytes. */

static xc_cpumap_t to_bytes(const struct domains_xen *x,
                            const struct cpumap *map)
{
    xc_cpumap_t bytes = need_memory(xc_get_cpumap_size(x->xch), 1);
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

int domains_xen_get_affinity(const struct domains_xen *x, uint32_t domid,
                             unsigned int vcpu, struct cpumap *hard,
                             struct cpumap *soft, struct xensched_error *err)
{
    xc_cpumap_t h = to_bytes(x, hard), s = to_bytes(x, soft);
    int rc = 0;

    if (xc_vcpu_getaffinity(x->xch, domid, vcpu, h, s,
                            XEN_VCPUAFFINITY_HARD | XEN_VCPUAFFINITY_SOFT)) {
        rc = fail_query(err, "cannot get the affinity", domid);
    } else {
        from_bytes(hard, h);
        from_bytes(soft, s);
    }
    free(h);
    free(s);

    return rc;
}

int domains_xen_set_affinity(const struct domains_xen *x, uint32_t domid,
                             unsigned int vcpu, const struct cpumap *hard,
                             const struct cpumap *soft,
                             struct xensched_error *err)
{
    xc_cpumap_t h = hard ? to_bytes(x, hard) : NULL;
    xc_cpumap_t s = soft ? to_bytes(x, soft) : NULL;
    int rc = 0;

    if (xc_vcpu_setaffinity(x->xch, domid, vcpu, h, s,
                            (hard ? XEN_VCPUAFFINITY_HARD : 0) |
                            (soft ? XEN_VCPUAFFINITY_SOFT : 0)))
        rc = fail_query(err, "cannot set the affinity", domid);
    free(h);
    free(s);

    return rc;
}

static int get_vcpu(struct domains_xen *x, struct domain *d, unsigned int i,
                    struct xensched_error *err)
{
    struct domain_vcpu *vcpu = &d->vcpus[i];
    xc_vcpuinfo_t info;

    if (xc_vcpu_getinfo(x->xch, d->domid, i, &info))
        return fail_query(err, "cannot get a vCPU", d->domid);
    vcpu->online = info.online;
    vcpu->cpu = info.cpu;

    return domains_xen_get_affinity(x, d->domid, i, &vcpu->hard, &vcpu->soft,
                                    err);
}

static int get_pool(struct domains_xen *x, struct domain *d,
                    const struct domains *domains, struct xensched_error *err)
{
    xc_cpupoolinfo_t *pool;
    unsigned int i;

    cpumap_init(&d->pool_cpus, x->nr_cpus);
    /* Most hosts have one cpupool; query each one once. */
    for (i = 0; i + 1 < domains->nr; i++)
        if (domains->domain[i].pool == d->pool) {
            cpumap_copy(&d->pool_cpus, &domains->domain[i].pool_cpus);
            d->pool_soft = domains->domain[i].pool_soft;
            memcpy(d->pool_name, domains->domain[i].pool_name,
                   sizeof(d->pool_name));
            return 0;
        }
    pool = xc_cpupool_getinfo(x->xch, d->pool);
    if (!pool)
        return fail_query(err, "cannot get the cpupool", d->domid);
    if (pool->cpupool_id == d->pool)
        from_bytes(&d->pool_cpus, pool->cpumap);
    xc_cpupool_infofree(x->xch, pool);
    xenstore_pool_name(x->xs, d->pool, d->pool_name);
    d->pool_soft = x->soft_pools &&
                   xenstore_pool_is_one_of(x->xs, d->pool, x->soft_pools);

    return 0;
}

/* Xen does not include such a stop in the paused flag of a domain. */
static bool is_stopped(const struct domains_xen *x, uint32_t domid)
{
    struct xen_domctl_schedlog_stop op = { .op = XEN_SCHEDLOG_STOP_query };

    return !hypercall_stop(x->xch, domid, &op) &&
           op.state == XEN_SCHEDLOG_STOP_STOPPED;
}

static void format_uuid(char text[DOMAIN_UUID_TEXT], const uint8_t *u)
{
    snprintf(text, DOMAIN_UUID_TEXT, "%02x%02x%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4],
             u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
             u[15]);
}

static void get_name(struct domains_xen *x, struct domain *d)
{
    struct xenstore_domain known = xenstore_domain(x->xs, d->domid);

    snprintf(d->name, sizeof(d->name), "%s", known.name);
    snprintf(d->group, sizeof(d->group), "%s", known.group);
    d->stays = known.stays;
    d->soft_only = known.soft_only;
    d->logs = known.logs;
    d->wants_steal = known.wants_steal;
    d->is_stub = known.is_stub;
    d->target = known.target;
    d->driver = d->domid == 0;
}

/* Sets which domains each domain serves; @domains is complete. */
static void get_back_ends(struct domains_xen *x, struct domains *domains)
{
    unsigned int i, j;

    for (i = 0; i < domains->nr; i++) {
        uint32_t domid = domains->domain[i].domid;
        struct xenstore_domain known = xenstore_domain(x->xs, domid);

        for (j = 0; j < known.nr_back_ends; j++) {
            struct domain *d = domains_find(domains, known.back_ends[j]);

            if (d)
                domain_add_serves(d, domid);
        }
    }
}

static void get_identity(struct domains_xen *x, const xc_domaininfo_t *info,
                         struct domain *d)
{
    d->domid = info->domain;
    format_uuid(d->uuid, info->handle);
    d->paused = info->flags & XEN_DOMINF_paused;
    get_name(x, d);
}

static int get_domain(struct domains_xen *x, const xc_domaininfo_t *info,
                      struct domain *d, const struct domains *domains,
                      struct xensched_error *err)
{
    unsigned int i;
    int rc;

    d->pool = info->cpupool;
    rc = get_pool(x, d, domains, err);
    if (rc)
        return rc;
    if (info->max_vcpu_id != XEN_INVALID_MAX_VCPU_ID)
        domain_make_vcpus(d, info->max_vcpu_id + 1, x->nr_cpus);
    for (i = 0; !rc && i < d->nr_vcpus; i++)
        rc = get_vcpu(x, d, i, err);
    memory_xen_times(x->xch, d);
    d->stopped = is_stopped(x, d->domid);
    d->paused |= d->stopped;

    return rc;
}

/* Each plan runs this; a message in each plan would say nothing new. */
static void say_once(struct domains_xen *x, const char *text)
{
    if (!strcmp(x->said, text))
        return;
    snprintf(x->said, sizeof(x->said), "%s", text);
    say("%s; xenschedd leaves it alone until it can be read", text);
}

static void add_domain(struct domains_xen *x, const xc_domaininfo_t *info,
                       struct domains *domains, bool vcpus)
{
    struct xensched_error err;
    struct domain *d;
    int rc;

    if (info->flags & XEN_DOMINF_dying)
        return;
    d = domains_add(domains);
    get_identity(x, info, d);
    rc = vcpus ? get_domain(x, info, d, domains, &err) : 0;
    if (!rc)
        return;
    domains_drop_last(domains);
    /* The domain ended during the query. */
    if (rc != -ESRCH && rc != -EINVAL)
        say_once(x, err.text);
}

bool domains_xen_is_gone(const struct domains_xen *x, uint32_t domid,
                         const char *uuid)
{
    char text[DOMAIN_UUID_TEXT];
    xc_domaininfo_t info;

    if (domain_ask(x->xch, domid, &info))
        return errno == ESRCH;
    format_uuid(text, info.handle);

    return info.flags & XEN_DOMINF_dying || strcmp(text, uuid);
}

int domains_xen_list(struct domains_xen *x, struct domains *domains,
                     bool vcpus, struct xensched_error *err)
{
    xc_domaininfo_t info[64];
    uint32_t first = 0;
    int nr, i;

    do {
        nr = xc_domain_getinfolist(x->xch, first, 64, info);
        if (nr < 0)
            return xensched_fail(err, errno, "cannot list domains: %s",
                                 strerror(errno));
        for (i = 0; i < nr; i++)
            add_domain(x, &info[i], domains, vcpus);
        if (nr)
            first = info[nr - 1].domain + 1;
    } while (nr);
    get_back_ends(x, domains);
    xenstore_forget_others(x->xs);

    return 0;
}
