/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replays a recording on a host that exists in memory only: a struct host whose domains are those
 * of a snapshot.
 *
 * The snapshot's daemon moved guests, too, but its moves do not appear: a guest is where
 * Xen put it until the replayed policy moves it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/answer/answer.h"
#include "daemon/options.h"
#include "base/alloc.h"
#include "model/residency/presence.h"
#include "model/residency/servers.h"
#include "model/snapshot.h"
#include "replayer.h"

/* The most domains. */
#define NR_ACCT 4096U
#define NR_NUMBERS 65536U

/* Sums of two times must not overflow. */
#define MAX_TIME_NS ((uint64_t)INT64_MAX)

/* After a larger jump the clock did not run in between. */
#define MAX_GAP_NS (3600 * 1000000000ULL)

struct replayer {
    struct options options;
    struct host host;
    struct core core;
    bool started;
    struct snapshot world;
    uint16_t map[NR_NUMBERS]; /* from recorded numbers to the core's */
    uint64_t begin_ns, now_ns, next_ns;
    uint64_t skipped_ns; /* time without rows */
    uint64_t plans, rows;
    uint8_t *buffer; /* for rows with the core's numbers */
    size_t room;
};

/* The host. */

static int get_topology(void *data, struct topology *t,
                        struct xensched_error *err)
{
    const struct topology *from = &((struct replayer *)data)->world.topology;

    (void)err;
    topology_init(t, from->nr_cpus);
    memcpy(t->cpus, from->cpus, from->nr_cpus * sizeof(*t->cpus));
    topology_make_places(t);
    t->llc = from->llc;
    t->shared_queues = from->shared_queues;

    return 0;
}

static void copy_domain(struct domain *d, const struct domain *from)
{
    unsigned int i;

    *d = (struct domain){
        .domid = from->domid,
        .driver = from->driver,
        .soft_only = from->soft_only,
        .pool = from->pool,
    };
    memcpy(d->uuid, from->uuid, sizeof(d->uuid));
    memcpy(d->name, from->name, sizeof(d->name));
    memcpy(d->group, from->group, sizeof(d->group));
    for (i = 0; i < from->nr_serves; i++)
        domain_add_serves(d, from->serves[i]);
    for (i = 0; i < from->nr_servers; i++)
        servers_add(d, from->servers[i].front_end, from->servers[i].vcpu);
    pages_init_copy(&d->pages, &from->pages);
    cpumap_init_copy(&d->pool_cpus, &from->pool_cpus);
    domain_make_vcpus(d, from->nr_vcpus, from->pool_cpus.nr_cpus);
    for (i = 0; i < from->nr_vcpus; i++) {
        d->vcpus[i].online = from->vcpus[i].online;
        d->vcpus[i].cpu = from->vcpus[i].cpu;
        cpumap_copy(&d->vcpus[i].hard, &from->vcpus[i].hard);
        cpumap_copy(&d->vcpus[i].soft, &from->vcpus[i].soft);
    }
}

static int get_domains(void *data, struct domains *domains,
                       struct xensched_error *err)
{
    const struct domains *from = &((struct replayer *)data)->world.domains;
    unsigned int i;

    (void)err;
    for (i = 0; i < from->nr; i++)
        copy_domain(domains_add(domains), &from->domain[i]);

    return 0;
}

static struct domain *find_domain(void *data, uint32_t domid)
{
    return domains_find(&((struct replayer *)data)->world.domains, domid);
}

static bool is_gone(void *data, uint32_t domid, const char *uuid)
{
    const struct domain *d = find_domain(data, domid);

    return !d || strcmp(d->uuid, uuid);
}

static struct domain_vcpu *find_vcpu(void *data, uint32_t domid,
                                     unsigned int vcpu,
                                     struct xensched_error *err)
{
    const struct domain *d = find_domain(data, domid);

    if (d && vcpu < d->nr_vcpus)
        return &d->vcpus[vcpu];
    xensched_fail(err, ESRCH, "domain %u has no vCPU %u", domid, vcpu);

    return NULL;
}

static int get_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err)
{
    const struct domain_vcpu *v = find_vcpu(data, domid, vcpu, err);

    if (!v)
        return -ESRCH;
    cpumap_copy(hard, &v->hard);
    cpumap_copy(soft, &v->soft);

    return 0;
}

static int set_affinity(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err)
{
    struct domain_vcpu *v = find_vcpu(data, domid, vcpu, err);

    if (!v)
        return -ESRCH;
    if (hard)
        cpumap_copy(&v->hard, hard);
    if (soft)
        cpumap_copy(&v->soft, soft);
    find_domain(data, domid)->affinity = AFFINITY_OURS;

    return 0;
}

static int names_affinity(void *data, uint32_t domid)
{
    const struct domain *d = find_domain(data, domid);

    return !d || d->affinity == AFFINITY_OPERATOR;
}

static int bind_domain(void *data, uint32_t domid, uint16_t acct,
                       struct xensched_error *err)
{
    (void)data;
    (void)domid;
    (void)acct;
    (void)err;

    return 0;
}

static void set_threshold(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold)
{
    (void)data;
    (void)acct;
    (void)event;
    (void)threshold;
}

static void unbind_domain(void *data, uint32_t domid)
{
    (void)data;
    (void)domid;
}

static void retire_number(void *data, uint16_t acct)
{
    (void)data;
    (void)acct;
}

/*
 * Without rows of these events a count of 0 is unknown, unless the daemon logged them.  A recording
 * does not list what the daemon logged, so the host refuses each of them until its first row.
 */
#define COUNTED_EVENTS (1U << XEN_SCHEDLOG_EV_WAKE_DELAY | 1U << XEN_SCHEDLOG_EV_MIGRATE)

static void make_host(struct replayer *r)
{
    /* This host has no log to hold, no balancer, and no client that asks for facts. */
    r->host = (struct host){
        .data = r,
        .refused = COUNTED_EVENTS,
        .topology = get_topology,
        .domains = get_domains,
        .list_domains = get_domains,
        .is_gone = is_gone,
        .get_affinity = get_affinity,
        .set_affinity = set_affinity,
        .names_affinity = names_affinity,
        .nr_acct = NR_ACCT,
        .bind = bind_domain,
        .unbind = unbind_domain,
        .retire = retire_number,
        .set_threshold = set_threshold,
    };
}

/* Changes of the host. */

static void forget_former_daemon(struct domain *d)
{
    unsigned int i;

    if (d->affinity != AFFINITY_OURS)
        return;
    d->affinity = AFFINITY_DEFAULT;
    for (i = 0; i < d->nr_vcpus; i++) {
        /* Its original hard affinity was all pCPUs, because others' domains are not moved. */
        if (d->ours_hard)
            cpumap_fill(&d->vcpus[i].hard);
        cpumap_fill(&d->vcpus[i].soft);
    }
    d->ours_hard = false;
}

/* A domain that was moved here stays moved, unless an operator changed it. */
static void stay_moved(struct domain *d, const struct domain *before)
{
    unsigned int i;

    if (!before || before->affinity != AFFINITY_OURS ||
        d->affinity == AFFINITY_OPERATOR || strcmp(before->uuid, d->uuid))
        return;
    d->affinity = AFFINITY_OURS;
    for (i = 0; i < d->nr_vcpus && i < before->nr_vcpus; i++) {
        const struct domain_vcpu *v = &before->vcpus[i];

        cpumap_copy(&d->vcpus[i].soft, &v->soft);
        /* Whether both hard and soft affinity were set. */
        if (cpumap_equal(&v->hard, &v->soft))
            cpumap_copy(&d->vcpus[i].hard, &v->hard);
    }
}

static void set_world(struct replayer *r, struct snapshot *world)
{
    unsigned int i;

    for (i = 0; i < world->domains.nr; i++) {
        struct domain *d = &world->domains.domain[i];

        forget_former_daemon(d);
        stay_moved(d, domains_find(&r->world.domains, d->domid));
    }
    snapshot_free(&r->world);
    r->world = *world;
}

static void make_map(struct replayer *r)
{
    const struct domains *domains = &r->world.domains;
    unsigned int i;

    memset(r->map, 0, sizeof(r->map));
    r->map[XEN_SCHEDLOG_ACCT_XEN] = XEN_SCHEDLOG_ACCT_XEN;
    r->map[XEN_SCHEDLOG_ACCT_NONE] = XEN_SCHEDLOG_ACCT_NONE;
    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];
        const struct member *member = accounting_find(&r->core.accounting, d);

        if (member && d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            r->map[d->acct] = member->account->acct;
    }
}

static void take_own_thresholds(struct replayer *r, const struct domain *d)
{
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        matrix_set_threshold_of(r->core.matrix, i, r->map[d->acct],
                                d->threshold ? d->threshold[i] : 0);
}

static void take_settings(struct replayer *r)
{
    struct held *held = &r->core.actuator.state.held;
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        matrix_set_threshold(r->core.matrix, i, r->world.threshold[i]);
    for (i = 0; i < r->world.domains.nr; i++) {
        const struct domain *d = &r->world.domains.domain[i];

        if (d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            take_own_thresholds(r, d);
        if (d->held)
            held_add(held, d->uuid);
        else
            held_remove(held, d->uuid);
    }
}

static int start_core(struct replayer *r, uint64_t time_ns,
                      struct xensched_error *err)
{
    int rc = core_start(&r->core, &r->options.core, &r->host, time_ns, err);

    r->started = true;
    r->begin_ns = r->now_ns = time_ns;
    r->next_ns = time_ns + r->options.period_ms * 1000000;

    return rc;
}

int replayer_host(struct replayer *r, const char *text, size_t length,
                  uint64_t time_ns, struct xensched_error *err)
{
    struct domains domains = { 0 };
    struct snapshot world;
    struct xensched_error why;
    int rc;

    if (time_ns > MAX_TIME_NS)
        time_ns = MAX_TIME_NS;
    if (snapshot_from_text(&world, text, length, &why))
        return xensched_fail(err, EINVAL, "its description of the host is wrong: %s",
                             why.text);
    if (r->started && world.topology.nr_cpus != r->world.topology.nr_cpus) {
        snapshot_free(&world);
        return xensched_fail(err, EINVAL, "it is of two hosts: the number of "
                             "pCPUs changes");
    }
    set_world(r, &world);
    rc = r->started ? 0 : start_core(r, time_ns, err);
    /* Does what xenstore's events make the daemon do. */
    if (!rc)
        rc = core_bind_new(&r->core, &domains, r->now_ns, err);
    domains_free(&domains);
    make_map(r);
    take_settings(r);

    return rc;
}

/* Time and plans. */

static void skip_gap(struct replayer *r, uint64_t time_ns)
{
    uint64_t gap = time_ns > r->next_ns ? time_ns - r->next_ns : 0;

    if (gap <= MAX_GAP_NS)
        return;
    r->skipped_ns += gap;
    r->next_ns += gap;
}

static json_object *done_since(struct replayer *r, unsigned int nr)
{
    json_object *done = journal_latest(&r->core.journal,
                                       r->core.journal.nr - nr);
    size_t i;

    /* Uses the time of the replay. */
    for (i = 0; i < json_object_array_length(done); i++) {
        json_object *entry = json_object_array_get_idx(done, i);

        json_object_object_del(entry, "time");
        json_object_object_del(entry, "at_ns");
    }

    return done;
}

bool replayer_plan(struct replayer *r, uint64_t time_ns,
                   struct replayer_plan *plan)
{
    unsigned int journaled = r->core.journal.nr;
    struct xensched_error err;

    if (time_ns > MAX_TIME_NS)
        time_ns = MAX_TIME_NS;
    skip_gap(r, time_ns);
    if (r->next_ns > time_ns) {
        if (time_ns > r->now_ns)
            r->now_ns = time_ns;
        return false;
    }
    r->now_ns = r->next_ns;
    r->next_ns += r->options.period_ms * 1000000;
    /* No operation of this host can fail. */
    core_run(&r->core, r->now_ns, &err);
    make_map(r);
    r->plans++;
    plan->seconds = (r->now_ns - r->begin_ns - r->skipped_ns) / 1e9;
    plan->done = done_since(r, journaled);
    plan->plan = json_object_new_object();
    answer_add_plan(plan->plan, &r->core);

    return true;
}

static void renumber_entry(const struct replayer *r, uint8_t *entry)
{
    uint16_t number;

    memcpy(&number, entry, sizeof(number));
    memcpy(entry, &r->map[number], sizeof(number));
}

static void find_counted_events(struct replayer *r, const struct xensched_batch *batch)
{
    struct xensched_row row;
    size_t i;

    for (i = 0; i < xensched_batch_rows(batch) && r->host.refused; i++) {
        xensched_batch_row(batch, i, &row);
        if (row.event < XEN_SCHEDLOG_NR_EVENTS)
            r->host.refused &= ~(1U << row.event);
    }
}

void replayer_rows(struct replayer *r, const struct xensched_batch *batch)
{
    const struct xensched_layout *layout = &batch->layout;
    struct xensched_batch own = *batch;
    size_t at;

    if (!xensched_batch_rows(batch))
        return;
    find_counted_events(r, batch);
    if (batch->length > r->room) {
        r->room = batch->length;
        r->buffer = need_more_memory(r->buffer, r->room, 1);
    }
    memcpy(r->buffer, batch->rows, batch->length);
    for (at = 0; at < batch->length; at += layout->size) {
        if (layout->current != XENSCHED_NO_ENTRY)
            renumber_entry(r, r->buffer + at + layout->current);
        if (layout->correspondent != XENSCHED_NO_ENTRY)
            renumber_entry(r, r->buffer + at + layout->correspondent);
    }
    own.rows = r->buffer;
    /* The recording's snapshot lists its events. */
    own.file = CORE_ANY_FILE;
    core_take(&r->core, &own, r->now_ns);
    r->rows += xensched_batch_rows(batch);
}

void replayer_numbers(const struct replayer *r, struct replayer_numbers *n)
{
    *n = (struct replayer_numbers){
        .seconds = (r->now_ns - r->begin_ns - r->skipped_ns) / 1e9,
        .plans = r->plans,
        .rows = r->rows,
        .moves = r->core.moves,
        .given_back = r->core.restores,
    };
}

static uint64_t ran_of_all(const struct replayer *r, const struct domain *d)
{
    const struct topology *t = &r->core.topology;
    uint64_t sum = 0;
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        sum += presence_total(r->core.matrix, d, &t->places[i].cpus);

    return sum;
}

static json_object *places_of(const struct replayer *r, const struct domain *d,
                              uint64_t all)
{
    const struct topology *t = &r->core.topology;
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        answer_add_ran(array, &t->places[i],
                       (double)presence_total(r->core.matrix, d,
                                              &t->places[i].cpus) / all);

    return array;
}

json_object *replayer_ran(const struct replayer *r)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < r->core.domains.nr; i++) {
        const struct domain *d = &r->core.domains.domain[i];
        uint64_t all = ran_of_all(r, d);
        json_object *json;

        if (!all)
            continue;
        json = json_object_new_object();
        json_add_domain(json, "domain", "domid", d->domid, d->name);
        json_object_object_add(json, "ran", places_of(r, d, all));
        json_object_array_add(array, json);
    }

    return array;
}

struct replayer *replayer_new(int argc, char **argv, int *code)
{
    struct replayer *r = need_memory(1, sizeof(*r));

    optind = 0; /* for a command line of its own */
    *code = options_parse(&r->options, NULL, argc, argv);
    if (*code >= 0) {
        free(r);
        return NULL;
    }
    /* Moves are carried out here, and written nowhere. */
    r->options.core.mode = MODE_ACT;
    r->options.core.lease_ms = 0;
    r->options.core.budget = 0;
    r->options.core.state_path = NULL;
    r->options.core.journal_path = NULL;
    make_host(r);

    return r;
}

void replayer_free(struct replayer *r)
{
    if (!r)
        return;
    if (r->started)
        core_free(&r->core);
    options_free(&r->options);
    snapshot_free(&r->world);
    free(r->buffer);
    free(r);
}
