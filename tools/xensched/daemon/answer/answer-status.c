/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers with the state of the daemon, Xen's log and the domains in short; and with the meaning of
 * numbers in rows.
 */
#include <stdlib.h>

#include <xensched/event.h>

#include "base/alloc.h"
#include "daemon/core/observe-host.h"
#include "model/residency/presence.h"
#include "model/snapshot.h"
#include "answer.h"

#define JOURNAL_ENTRIES 20

static json_object *event_names(uint32_t mask)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++) {
        const char *name = xensched_event_name(i);

        if ((mask & (1U << i)) && name)
            json_object_array_add(array, json_object_new_string(name));
    }

    return array;
}

static json_object *xen_json(const struct host_facts *facts)
{
    json_object *json = json_object_new_object();

    json_object_object_add(json, "events_built",
                           event_names(facts->events_built));
    json_object_object_add(json, "events_enabled",
                           event_names(facts->events_enabled));
    json_add_int(json, "sites", facts->nr_sites);
    json_add_int(json, "pcpus", facts->pcpus);
    json_add_int(json, "lease_ms", facts->lease_ms);
    json_add_int(json, "lease_left_ms", facts->lease_left_ms);
    json_add_int(json, "pmcs", facts->nr_pmcs);

    return json;
}

static json_object *topology_json(const struct topology *t)
{
    static const char *const known_by[] = {
        [LLC_NOT_SAID] = "socket", [LLC_OF_HOST] = "host",
        [LLC_NAMED] = "operator",
    };
    json_object *json = json_object_new_object();
    struct topology_summary s;

    topology_summarise(t, &s);
    json_add_int(json, "pcpus", s.cpus);
    json_add_int(json, "cores", s.cores);
    json_add_int(json, "sockets", s.sockets);
    json_add_int(json, "nodes", s.nodes);
    json_add_int(json, "llcs", s.llcs);
    json_add_text(json, "llcs_by", known_by[t->llc]);

    return json;
}

static json_object *where_it_runs(const struct domain *d, unsigned int nr_cpus)
{
    struct cpumap cpus;
    json_object *array;
    unsigned int i;

    cpumap_init(&cpus, nr_cpus);
    for (i = 0; i < d->nr_vcpus; i++)
        if (d->vcpus[i].online)
            cpumap_set(&cpus, d->vcpus[i].cpu);
    array = answer_cpus(&cpus);
    cpumap_free(&cpus);

    return array;
}

static void add_delay(json_object *json, const struct domain *d)
{
    if (d->wakes.known && d->wakes.wakes > 0)
        json_add_real(json, "wake_delay_us", d->wakes.delay / 1e3, 1);
    else
        json_object_object_add(json, "wake_delay_us", NULL);
}

static void add_share(json_object *json, const char *key, double share)
{
    if (share < 0)
        json_object_object_add(json, key, NULL);
    else
        json_add_real(json, key, share, 4);
}

/* The shares of its time at each place, by the log. */
static json_object *residency_json(const struct subject *s, const struct domain *d)
{
    const struct topology *t = &s->core->topology;
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->nr_places; i++)
        answer_add_ran(array, &t->places[i],
                       presence_share(s->core->matrix, d, &t->places[i].cpus,
                                      s->now_ns));

    return array;
}

/* The nodes of its memory; omitted while they are unknown. */
static void add_memory(json_object *json, const struct subject *s,
                       const struct domain *d)
{
    json_object *array = json_object_new_array();
    unsigned int node;

    for (node = 0; node < d->pages.nr_nodes; node++)
        answer_add_memory(array, node, pages_share(&d->pages, node));
    json_object_object_add(json, "memory", array);
    if (d->pages.known)
        json_add_real(json, "memory_age_s",
                      (s->now_ns - d->pages.at_ns) / 1e9, 1);
    else
        json_object_object_add(json, "memory_age_s", NULL);
}

/* Is it where it was moved, and which affinity keeps it there? */
static void add_place(json_object *json, const struct subject *s,
                      const struct domain *d, double crossings)
{
    bool ours = d->affinity == AFFINITY_OURS;

    json_object_object_add(json, "ran", residency_json(s, d));
    add_share(json, "at_place", !ours || d->paused ? -1 :
              presence_share(s->core->matrix, d, &d->ours, s->now_ns));
    if (ours)
        json_add_text(json, "lever", d->ours_hard ? "hard" : "soft");
    if (crossings < 0)
        json_object_object_add(json, "crossings_per_s", NULL);
    else
        json_add_real(json, "crossings_per_s", crossings, 1);
}

static void add_per_unit(json_object *json, const char *key, double number,
                         const struct work *work)
{
    if (number < 0)
        json_object_object_add(json, key, NULL);
    else
        json_add_real(json, key, number / work->units, 4);
}

/* The recent cost of a unit of its work; null: it has none, or unknown. */
static void add_cost(json_object *json, const struct work *work, uint64_t for_ns)
{
    if (!work || work->unit >= WORK_TIME) {
        json_object_object_add(json, "cost_us", NULL);
        return;
    }
    json_add_real(json, "cost_us", work_cost(work) / 1e3, 2);
    json_add_text(json, "cost_per", work_unit_name(work->unit));
    json_add_real(json, "back_ends_us", work->served_ns / work->units / 1e3, 2);
    json_add_text(json, "shared_by", work->by_pages ? "page" : "notification");
    json_add_real(json, "work_per_s", 1e9 * work->units / for_ns, 1);
    json_add_real(json, "wait_us", work->waited_ns / work->units / 1e3, 2);
    add_per_unit(json, "wakes", work->wakes, work);
    add_per_unit(json, "migrations", work->migrations, work);
}

static json_object *domain_json(const struct subject *s, const struct domain *d,
                                double crossings, const struct work *work, uint64_t for_ns)
{
    static const char *const affinities[] = {
        [AFFINITY_DEFAULT] = "default",
        [AFFINITY_OURS] = "ours",
        [AFFINITY_OPERATOR] = "operator",
    };
    json_object *json = json_object_new_object();

    json_add_domain(json, "name", "domid", d->domid, d->name);
    json_add_text(json, "uuid", d->uuid);
    json_add_int(json, "acct", d->acct);
    if (d->group[0])
        json_add_text(json, "group", d->group);
    json_add_bool(json, "driver_domain", d->driver);
    json_add_int(json, "vcpus", domain_online_vcpus(d));
    answer_add_use(json, s->core, d, s->now_ns);
    add_delay(json, d);
    json_add_text(json, "affinity", affinities[d->affinity]);
    json_add_bool(json, "held", held_is(&s->core->actuator.state.held, d));
    json_add_bool(json, "moved", d->affinity == AFFINITY_OURS);
    json_add_bool(json, "paused", d->paused);
    json_add_bool(json, "stopped", d->stopped);
    json_object_object_add(json, "pcpus",
                           where_it_runs(d, s->core->topology.nr_cpus));
    add_place(json, s, d, crossings);
    add_memory(json, s, d);
    add_cost(json, work, for_ns);

    return json;
}

static json_object *domains_json(const struct subject *s)
{
    json_object *array = json_object_new_array();
    uint64_t for_ns = 0;
    struct work *work = watch_work_recent(s->core, s->now_ns, &for_ns);
    const struct core *core = s->core;
    struct domain_exchange *exchanges = presence_exchanges(core->matrix, &core->topology,
                                                           &core->domains, s->now_ns);
    unsigned int i;

    for (i = 0; i < core->domains.nr; i++)
        json_object_array_add(array, domain_json(s, &core->domains.domain[i],
                                                 exchanges[i].crossings,
                                                 work ? &work[i] : NULL, for_ns));
    free(exchanges);
    free(work);

    return array;
}

static void add_counts(json_object *json, const struct subject *s)
{
    struct xensched_source_stats stats;

    log_sources_stats(s->sources, &stats);
    json_add_int(json, "rows", stats.rows);
    json_add_int(json, "lost_rows", stats.lost_rows);
    json_add_int(json, "lost_bytes", stats.lost_bytes);
    json_add_int(json, "nonsense", stats.nonsense);
}

static json_object *describe_source(const struct log_source *source)
{
    json_object *json = json_object_new_object();
    struct xensched_source_stats stats;

    log_source_stats(source, &stats);
    json_add_text(json, "name", source->name);
    json_add_text(json, "state", log_source_state_name(source->state));
    json_add_int(json, "rows", stats.rows);
    json_add_int(json, "lost_rows", stats.lost_rows);
    json_add_int(json, "refused", source->refused);
    json_add_int(json, "nonsense", stats.nonsense);
    json_add_text(json, "reason", source->reason);

    return json;
}

static json_object *list_sources(const struct log_sources *sources)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < sources->nr; i++)
        json_object_array_add(array, describe_source(sources->source[i]));

    return array;
}

static json_object *budget_json(const struct governor *g)
{
    json_object *json = json_object_new_object();
    unsigned int event, acct, raised = 0;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        for (acct = 0; acct < g->nr_acct; acct++)
            raised += governor_threshold(g, event, acct) != g->chosen[event];
    json_add_real(json, "percent", 100 * g->budget, 3);
    json_add_real(json, "overhead_percent", 100 * g->overhead, 3);
    json_add_real(json, "own_percent", 100 * g->own, 3);
    json_add_real(json, "rows_per_s", g->rate, 0);
    json_add_int(json, "raised", raised);
    json_add_bool(json, "kept", !g->stuck);

    return json;
}

/*
 * The weight of soft affinities for credit2, if the daemon has changed it: Xen's present value,
 * which another program may have changed since.
 */
static void add_soft_weight(json_object *json, const struct core *core)
{
    const struct state_weight *w = &core->actuator.state.weight;
    uint32_t percent = w->ours;
    json_object *weight;

    if (!w->changed) {
        json_object_object_add(json, "soft_weight", NULL);
        return;
    }
    if (core->host->get_soft_weight)
        core->host->get_soft_weight(core->host->data, &percent, NULL);
    weight = json_object_new_object();
    json_add_int(weight, "percent", percent);
    json_add_int(weight, "ours", w->ours);
    json_add_int(weight, "original", w->original);
    json_object_object_add(json, "soft_weight", weight);
}

/* A rule that applies to no guest may have a misspelt name. */
static json_object *rules_json(const struct core *core)
{
    const struct rules *rules = &core->settings.policy_settings.rules;
    json_object *array = json_object_new_array(), *rule;
    unsigned int i, k, matches;

    for (i = 0; i < rules->nr; i++) {
        matches = 0;
        for (k = 0; k < core->domains.nr; k++)
            matches += core->domains.domain[k].rule == &rules->rule[i];
        rule = json_object_new_object();
        json_add_text(rule, "rule", rules->rule[i].text);
        json_add_int(rule, "domains", matches);
        json_object_array_add(array, rule);
    }

    return array;
}

/* The price of distance on this host, by its moves. */
static json_object *prices_json(const struct learned *l)
{
    json_object *array = json_object_new_array(), *json;
    char text[LEARNED_TEXT];
    unsigned int i;

    for (i = 0; i < NR_BACK_END_KINDS; i++) {
        const struct learned_price *price = &l->of[i];

        if (!price->extra.n)
            continue;
        json = json_object_new_object();
        json_add_text(json, "kind", back_end_kind_name(i));
        json_add_int(json, "moves", price->extra.n);
        json_add_real(json, "near_us", price->near_ns / 1e3, 2);
        json_add_real(json, "extra_us", price->extra.mean / 1e3, 2);
        json_add_real(json, "by_distances_us", price->priced_ns / 1e3, 2);
        json_add_bool(json, "replaces", learned_replaces(price));
        learned_describe(l, i, text);
        json_add_text(json, "text", text);
        json_object_array_add(array, json);
    }

    return array;
}

json_object *answer_status(struct subject *s, struct xensched_error *err)
{
    struct core *core = s->core;
    char policies[POLICIES_TEXT];
    struct host_facts facts;
    json_object *json;

    if (core->host->facts(core->host->data, &facts, err))
        return NULL;
    json = json_object_new_object();
    json_add_text(json, "mode", mode_name(core->mode));
    policies_format(&core->settings.policies, policies);
    json_add_text(json, "policy", policies);
    answer_add_obstacles(json, core);
    json_add_real(json, "uptime_s", (s->now_ns - core->started_ns) / 1e9, 1);
    json_add_int(json, "abi", facts.abi_version);
    json_object_object_add(json, "xen", xen_json(&facts));
    json_object_object_add(json, "topology", topology_json(&core->topology));
    add_counts(json, s);
    json_object_object_add(json, "sources", list_sources(s->sources));
    if (core->governor.budget > 0)
        json_object_object_add(json, "budget", budget_json(&core->governor));
    json_add_int(json, "memory_bytes", facts.log_bytes);
    json_object_object_add(json, "domains", domains_json(s));
    json_object_object_add(json, "rules", rules_json(core));
    add_soft_weight(json, core);
    json_object_object_add(json, "prices", prices_json(&core->learned));
    json_object_object_add(json, "trial", answer_trial_summary(core));
    json_add_int(json, "moves", core->moves);
    json_add_int(json, "restores", core->restores);
    json_object_object_add(json, "journal",
                           journal_latest(&core->journal, JOURNAL_ENTRIES));

    return json;
}

/*
 * The host: pCPUs, domains and thresholds, and the latest decisions.  Recordings contain these
 * answers, from which plans and timelines are made later.
 */

/* The thresholds that the governor has set instead of the operator's. */
static void add_thresholds(const struct governor *g, struct domain *d)
{
    unsigned int event;

    free(d->threshold);
    d->threshold = NULL;
    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++) {
        uint32_t threshold = governor_threshold(g, event, d->acct);

        if (threshold == g->chosen[event])
            continue;
        if (!d->threshold)
            d->threshold = need_memory(XEN_SCHEDLOG_NR_EVENTS,
                                       sizeof(*d->threshold));
        d->threshold[event] = threshold;
    }
}

/* Maximum number of decisions: a recorder queries once per second. */
#define MOST_DECISIONS 32U

/* The latest entries of the journal that are about a domain. */
static json_object *decisions_json(const struct journal *journal)
{
    json_object *latest = journal_latest(journal, MOST_DECISIONS);
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < json_object_array_length(latest); i++) {
        json_object *entry = json_object_array_get_idx(latest, i);

        if (json_member(entry, "domid", json_type_int))
            json_object_array_add(array, json_object_get(entry));
    }
    json_object_put(latest);

    return array;
}

json_object *answer_host(struct subject *s, struct xensched_error *err)
{
    struct core *core = s->core;
    json_object *host;
    unsigned int i;

    (void)err;
    for (i = 0; i < core->domains.nr; i++) {
        struct domain *d = &core->domains.domain[i];

        d->held = held_has(&core->actuator.state.held, d->uuid);
        add_thresholds(&core->governor, d);
    }

    host = snapshot_to_json(&core->topology, &core->domains,
                            core->settings.choice.threshold);
    json_object_object_add(host, "journal", decisions_json(&core->journal));

    return host;
}
