/* SPDX-License-Identifier: GPL-2.0-only */
/* Fakes a host of two sockets in shared memory. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake-host.h"

static uint32_t to_mask(const struct cpumap *map)
{
    uint32_t mask = 0;
    unsigned int cpu;

    for (cpu = 0; cpu < FAKE_CPUS; cpu++)
        mask |= (uint32_t)cpumap_test(map, cpu) << cpu;

    return mask;
}

static void from_mask(struct cpumap *map, uint32_t mask)
{
    unsigned int cpu;

    for (cpu = 0; cpu < FAKE_CPUS; cpu++)
        if (mask & (1U << cpu))
            cpumap_set(map, cpu);
}

static int topology(void *data, struct topology *t, struct xensched_error *err)
{
    struct fake_host *f = data;
    unsigned int cpu;

    (void)err;
    topology_init(t, FAKE_CPUS);
    for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
        if (f->world->offline & (1U << cpu))
            continue;
        t->cpus[cpu].online = true;
        t->cpus[cpu].core = f->world->threads ? 0 : cpu % 2;
        t->cpus[cpu].socket = t->cpus[cpu].node = cpu / 2;
    }
    topology_make_places(t);

    return 0;
}

static int memory(void *data, struct distances *d, uint64_t *frames,
                  struct xensched_error *err)
{
    (void)data;
    (void)err;
    distances_init(d, 2);
    *frames = 2 * FAKE_FRAMES;

    return 0;
}

/* In each node the memory of domains is contiguous, and free memory follows. */
static int owner_of(const struct fake_world *w, uint64_t frame)
{
    unsigned int node = frame / FAKE_FRAMES, domid;
    uint64_t i = frame % FAKE_FRAMES;

    for (domid = 0; domid < FAKE_DOMAINS; domid++) {
        const struct fake_domain *d = &w->domains[domid];

        if (d->exists && i < d->frames[node])
            return domid;
        i -= d->exists ? d->frames[node] : 0;
    }

    return -1;
}

static int owners(void *data, uint64_t *at, uint32_t step,
                  struct host_owner *owners, struct xensched_error *err)
{
    struct fake_host *f = data;
    unsigned int looks, nr = 0;

    f->world->owner_calls++;
    if (f->world->no_owners)
        return xensched_fail(err, ENOSYS, "set to fail");
    for (looks = 0; looks < HOST_OWNERS && *at < 2 * FAKE_FRAMES; looks++) {
        int domid = owner_of(f->world, *at);

        if (domid >= 0)
            owners[nr++] = (struct host_owner){ domid, *at / FAKE_FRAMES };
        *at += step;
    }
    if (*at >= 2 * FAKE_FRAMES)
        *at = 0;

    return nr;
}

void fake_host_tells_memory(struct fake_host *f)
{
    f->host.memory = memory;
    f->host.owners = owners;
}

static void copy_identity(const struct fake_domain *from, uint32_t domid,
                          struct domain *d)
{
    unsigned int i;

    d->domid = domid;
    snprintf(d->name, sizeof(d->name), "%s", from->name);
    snprintf(d->uuid, sizeof(d->uuid),
             "00000000-0000-0000-0000-%012u", from->uuid);
    d->driver = from->driver;
    d->logs = from->logs;
    d->wants_steal = from->wants_steal;
    d->stopped = from->stopped;
    d->paused = from->paused || from->stopped;
    snprintf(d->group, sizeof(d->group), "%s", from->group);
    for (i = 0; i < FAKE_DOMAINS; i++)
        if (from->clients & 1U << i)
            domain_add_serves(d, i);
}

static void copy_domain(const struct fake_domain *from, uint32_t domid,
                        uint32_t online, struct domain *d)
{
    unsigned int i;

    copy_identity(from, domid, d);
    d->stays = from->stays;
    d->soft_only = from->soft_only;
    d->pool = from->pool;
    cpumap_init(&d->pool_cpus, FAKE_CPUS);
    from_mask(&d->pool_cpus, from->pool_cpus & online);
    domain_make_vcpus(d, from->nr_vcpus, FAKE_CPUS);
    for (i = 0; i < from->nr_vcpus; i++) {
        d->vcpus[i].online = true;
        d->vcpus[i].cpu = from->vcpus[i].cpu;
        d->vcpus[i].times.known = from->never_ran || from->waited_ns;
        d->vcpus[i].times.waited_ns = from->waited_ns;
        d->vcpus[i].times.offline_ns = from->offline_ns;
        from_mask(&d->vcpus[i].hard, from->vcpus[i].hard);
        from_mask(&d->vcpus[i].soft, from->vcpus[i].soft);
    }
}

static int domains(void *data, struct domains *domains,
                   struct xensched_error *err)
{
    struct fake_host *f = data;
    uint32_t domid;

    (void)err;
    f->world->nr_looks++;
    for (domid = 0; domid < FAKE_DOMAINS; domid++)
        if (f->world->domains[domid].exists &&
            !f->world->domains[domid].unlisted)
            copy_domain(&f->world->domains[domid], domid,
                        ~f->world->offline, domains_add(domains));

    return 0;
}

static bool is_gone(void *data, uint32_t domid, const char *uuid)
{
    struct fake_host *f = data;
    const struct fake_domain *d = &f->world->domains[domid];

    return !d->exists || strtoul(uuid + DOMAIN_UUID_TEXT - 13, NULL, 10) !=
                         d->uuid;
}

static int list_domains(void *data, struct domains *domains, struct xensched_error *err)
{
    struct fake_host *f = data;
    uint32_t domid;

    (void)err;
    for (domid = 0; domid < FAKE_DOMAINS; domid++)
        if (f->world->domains[domid].exists &&
            !f->world->domains[domid].unlisted)
            copy_identity(&f->world->domains[domid], domid,
                          domains_add(domains));

    return 0;
}

/* Returns whether this is the call that is to fail. */
static bool is_time(struct fake_world *w)
{
    return w->fail_call && !--w->fail_call;
}

static struct fake_vcpu *find_vcpu(struct fake_host *f, uint32_t domid,
                                   unsigned int vcpu)
{
    struct fake_domain *d = &f->world->domains[domid];

    assert(domid < FAKE_DOMAINS);

    return d->exists && vcpu < d->nr_vcpus ? &d->vcpus[vcpu] : NULL;
}

static int get_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err)
{
    struct fake_vcpu *v = find_vcpu(data, domid, vcpu);
    struct fake_host *f = data;

    if (!v)
        return xensched_fail(err, ESRCH, "no such domain");
    if (is_time(f->world))
        return xensched_fail(err, f->world->fail_code, "set to fail");
    from_mask(hard, v->hard);
    from_mask(soft, v->soft);

    return 0;
}

static int set_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err)
{
    struct fake_host *f = data;
    struct fake_world *w = f->world;
    struct fake_vcpu *v = find_vcpu(f, domid, vcpu);

    if (w->before_set)
        w->before_set();
    if (!v)
        return xensched_fail(err, ESRCH, "no such domain");
    if (is_time(w) || (w->fail_set && !--w->fail_set))
        return xensched_fail(err, w->fail_code, "set to fail");
    if (hard)
        v->hard = to_mask(hard);
    if (soft)
        v->soft = to_mask(soft);
    w->nr_sets++;

    return 0;
}

static int get_soft_weight(void *data, uint32_t *percent,
                           struct xensched_error *err)
{
    struct fake_host *f = data;

    if (f->world->no_weight)
        return xensched_fail(err, ENOENT, "no such parameter");
    if (is_time(f->world))
        return xensched_fail(err, f->world->fail_code, "set to fail");
    *percent = f->world->weight;

    return 0;
}

static int set_soft_weight(void *data, uint32_t percent,
                           struct xensched_error *err)
{
    struct fake_host *f = data;

    if (f->world->before_set)
        f->world->before_set();
    if (f->world->fail_weight || is_time(f->world))
        return xensched_fail(err, EPERM, "set to fail");
    f->world->weight = percent;

    return 0;
}

static int names_affinity(void *data, uint32_t domid)
{
    struct fake_host *f = data;

    f->world->domains[domid].asked++;

    return f->world->domains[domid].names_affinity;
}

static int bind(void *data, uint32_t domid, uint16_t acct,
                struct xensched_error *err)
{
    struct fake_host *f = data;
    struct fake_domain *d = &f->world->domains[domid];

    if (!d->exists)
        return xensched_fail(err, ESRCH, "no such domain");
    d->acct = acct;
    f->world->routed |= 1U << acct;

    return 0;
}

static void unbind(void *data, uint32_t domid)
{
    struct fake_host *f = data;

    f->world->domains[domid].acct = 0;
}

static void retire(void *data, uint16_t acct)
{
    struct fake_host *f = data;

    f->world->routed &= ~(1U << acct);
}

static int start_log(void *data, uint32_t lease_ms, struct xensched_error *err)
{
    struct fake_host *f = data;

    if (f->world->held)
        return xensched_fail(err, EEXIST, "another scheduler holds the log");
    f->world->events = f->world->logs_nothing ? 0 : 0x5;
    f->world->lease_ms = f->world->events ? lease_ms : 0;
    f->world->nr_logs++;

    return 0;
}

static void alive(void *data)
{
    struct fake_host *f = data;

    f->world->nr_alive++;
}

static int facts(void *data, struct host_facts *facts,
                 struct xensched_error *err)
{
    struct fake_host *f = data;

    (void)err;
    memset(facts, 0, sizeof(*facts));
    facts->abi_version = 1;
    facts->events_built = 0x35;
    facts->events_enabled = f->world->events;
    facts->pcpus = FAKE_CPUS;
    facts->lease_ms = facts->lease_left_ms = f->world->lease_ms;
    facts->nr_pmcs = 4;

    return 0;
}

struct fake_domain *fake_domain_new(struct fake_host *f, uint32_t domid,
                                    const char *name, unsigned int nr_vcpus)
{
    struct fake_domain *d = &f->world->domains[domid];
    static unsigned int uuid;
    unsigned int i;

    assert(domid < FAKE_DOMAINS && nr_vcpus <= FAKE_VCPUS);
    memset(d, 0, sizeof(*d));
    d->exists = true;
    d->uuid = ++uuid;
    snprintf(d->name, sizeof(d->name), "%s", name);
    d->pool_cpus = FAKE_ALL;
    d->nr_vcpus = nr_vcpus;
    for (i = 0; i < nr_vcpus; i++)
        d->vcpus[i] = (struct fake_vcpu){ 2, FAKE_ALL, FAKE_ALL };

    return d;
}

static void set_threshold(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold)
{
    struct fake_host *f = data;

    assert(acct < FAKE_ACCTS);
    f->world->threshold[event][acct] = threshold;
}

void fake_host_init(struct fake_host *f)
{
    struct fake_domain *dom0;

    f->world = mmap(NULL, sizeof(*f->world), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(f->world != MAP_FAILED);
    f->host = (struct host){
        .data = f,
        .topology = topology,
        .domains = domains,
        .list_domains = list_domains,
        .is_gone = is_gone,
        .get_affinity = get_affinity,
        .set_affinity = set_affinity,
        .get_soft_weight = get_soft_weight,
        .set_soft_weight = set_soft_weight,
        .names_affinity = names_affinity,
        .nr_acct = FAKE_ACCTS,
        .bind = bind,
        .unbind = unbind,
        .retire = retire,
        .set_threshold = set_threshold,
        .log = start_log,
        .alive = alive,
        .facts = facts,
    };
    dom0 = fake_domain_new(f, 0, "Domain-0", 2);
    dom0->driver = true;
    dom0->vcpus[0] = (struct fake_vcpu){ 0, FAKE_NODE_0, FAKE_ALL };
    dom0->vcpus[1] = (struct fake_vcpu){ 1, FAKE_NODE_0, FAKE_ALL };
}

void fake_host_free(struct fake_host *f)
{
    munmap(f->world, sizeof(*f->world));
}

bool fake_has_soft(const struct fake_domain *d, uint32_t soft)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (d->vcpus[i].soft != soft)
            return false;

    return true;
}

void fake_domains(struct fake_host *f, struct domains *list)
{
    struct xensched_error err;

    memset(list, 0, sizeof(*list));
    f->host.domains(f->host.data, list, &err);
}

unsigned int lines_with(const char *path, const char *words)
{
    FILE *f = fopen(path, "r");
    unsigned int nr = 0;
    size_t size = 0;
    char *line = NULL;

    if (!f)
        abort();
    while (getline(&line, &size, f) >= 0)
        nr += !!strstr(line, words);
    free(line);
    fclose(f);

    return nr;
}
