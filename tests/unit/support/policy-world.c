/* SPDX-License-Identifier: GPL-2.0-only */
/* Simulates a host with constant load, in numbers only. */
#include <stdio.h>
#include <string.h>

#include <xensched/abi.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "model/residency/servers.h"
#include "policy-world.h"

struct world world;

static void make_topology(unsigned int places, unsigned int llcs,
                          unsigned int cores, unsigned int threads)
{
    unsigned int cpu, nr = places * cores * threads;

    assert_true(nr <= 64);
    topology_init(&world.topology, nr);
    for (cpu = 0; cpu < nr; cpu++)
        world.topology.cpus[cpu] = (struct topology_cpu){
            .online = true,
            .core = cpu / threads % cores,
            .socket = cpu / threads / cores,
            .place = TOPOLOGY_UNKNOWN,
            .llc = cpu / threads % cores * llcs / cores,
        };
    topology_make_places(&world.topology);
    world.topology.shared_queues = true;
    world.all = nr == 64 ? UINT64_MAX : (1ULL << nr) - 1;
}

void world_begin_with_llcs(const char *policies,
                           const struct policy_settings *settings,
                           unsigned int places, unsigned int llcs,
                           unsigned int cores, unsigned int threads)
{
    struct policies chosen;

    memset(&world, 0, sizeof(world));
    make_topology(places, llcs, cores, threads);
    world.matrix = matrix_new(WORLD_SECOND);
    assert_true(policies_parse(&chosen, policies));
    world.planner = planner_new(&chosen, settings);
    world.now = 1000 * WORLD_SECOND;
    world.seed = 1;
    world.nr = 1;
    world.domains[0] = (struct world_domain){
        .driver = true, .nr_vcpus = 2, .hard = 3, .soft = world.all,
    };
}

void world_begin(const char *policies, const struct policy_settings *settings,
                 unsigned int places, unsigned int cores,
                 unsigned int threads)
{
    world_begin_with_llcs(policies, settings, places, 1, cores, threads);
}

void world_make_nodes(void)
{
    unsigned int i;

    for (i = 0; i < world.topology.nr_cpus; i++)
        world.topology.cpus[i].node = world.topology.cpus[i].socket;
    for (i = 0; i < world.topology.nr_places; i++)
        world.topology.places[i].kind = world.topology.caches[i].kind = "node";
}

void world_begin_nodes(const char *policies,
                       const struct policy_settings *settings,
                       unsigned int nodes, unsigned int cores)
{
    world_begin(policies, settings, nodes, cores, 1);
    world_make_nodes();
}

void world_end(void)
{
    planner_free(world.planner);
    matrix_free(world.matrix);
    topology_free(&world.topology);
}

unsigned int world_guest(unsigned int nr_vcpus, double use)
{
    assert_true(world.nr < WORLD_DOMAINS);
    world.domains[world.nr] = (struct world_domain){
        .nr_vcpus = nr_vcpus, .hard = world.all, .soft = world.all,
        .cpu = world.nr % world.topology.nr_cpus, .use = use,
    };

    return world.nr++;
}

void world_talk(unsigned int a, unsigned int b, double per_second)
{
    world.domains[a].talk[b] = world.domains[b].talk[a] = per_second / 2;
}

uint64_t world_cpus(const struct topology_place *place)
{
    unsigned int cpu;
    uint64_t cpus = 0;

    for (cpu = 0; cpu < world.topology.nr_cpus; cpu++)
        cpus |= (uint64_t)cpumap_test(&place->cpus, cpu) << cpu;

    return cpus;
}

unsigned int world_place(uint64_t cpus)
{
    unsigned int llc = world_llc(cpus), i;

    if (llc != TOPOLOGY_UNKNOWN)
        return world.topology.caches[llc].within;
    for (i = 0; cpus && i < world.topology.nr_places; i++)
        if (!(cpus & ~world_cpus(&world.topology.places[i])))
            return i;

    return TOPOLOGY_UNKNOWN;
}

unsigned int world_llc(uint64_t cpus)
{
    unsigned int i;

    for (i = 0; cpus && i < world.topology.nr_caches; i++)
        if (!(cpus & ~world_cpus(&world.topology.caches[i])))
            return i;

    return TOPOLOGY_UNKNOWN;
}

/* Rows. */

static double now_and_then(double amount)
{
    unsigned int dice = harness_random_below(&world.seed, 2001);

    return amount * (1 + world.noise * (dice / 1000.0 - 1));
}

static unsigned int acct_of(unsigned int domid)
{
    return world.domains[domid].unnumbered ? XEN_SCHEDLOG_ACCT_REST
                                           : XEN_SCHEDLOG_ACCT_FIRST + domid;
}

static void happen(unsigned int event, unsigned int from, unsigned int to,
                   double times)
{
    struct xensched_row row = {
        .event = event,
        .current = acct_of(from),
        .correspondent = acct_of(to),
        .cpu = world.domains[from].cpu,
        .counter = now_and_then(times),
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    if (row.counter)
        matrix_add(world.matrix, &row, world.now);
}

double world_units(unsigned int place)
{
    double units = 0;
    unsigned int i;

    for (i = 0; i < world.nr; i++)
        if (world.topology.cpus[world.domains[i].cpu].place == place)
            units += world.domains[i].use;

    return units;
}

/* Returns the part of its demand that a domain gets; less than 1 if its pCPUs are crowded. */
static double share_at(unsigned int cpu)
{
    unsigned int place = world.topology.cpus[cpu].place;
    double cores = topology_cores(&world.topology,
                                  &world.topology.places[place].cpus);
    double units = world_units(place);

    return units > cores ? cores / units : 1;
}

static bool is_there(const struct world_domain *d)
{
    return d->ours && d->soft >> d->cpu & 1;
}

static double waits(const struct world_domain *d)
{
    return is_there(d) ? d->waits_there : d->waits;
}

/* Returns the pCPU time that communication with dom0 costs while they are apart. */
static double distance(unsigned int domid)
{
    const struct world_domain *d = &world.domains[domid];
    const struct topology_cpu *cpus = world.topology.cpus;

    return cpus[d->cpu].place == cpus[world.domains[0].cpu].place ? 0
           : d->far_costs * (d->talk[0] + world.domains[0].talk[domid]);
}

static void a_tenth(void)
{
    unsigned int i, k;

    world.now += WORLD_SECOND / 10;
    for (i = 0; i < world.nr; i++) {
        happen(XEN_SCHEDLOG_EV_SERVICE_NS, i, i,
               (world.domains[i].use + distance(i)) *
               share_at(world.domains[i].cpu) * WORLD_SECOND / 10);
        happen(XEN_SCHEDLOG_EV_PMC0, i, i, world.domains[i].misses / 10);
        happen(XEN_SCHEDLOG_EV_WAKE_DELAY, i, i,
               waits(&world.domains[i]) * WORLD_SECOND / 10);
        for (k = 0; k < world.nr; k++)
            happen(XEN_SCHEDLOG_EV_EVTCHN_SEND, i, k,
                   world.domains[i].talk[k] / 10);
    }
}

/* Plans. */

static void fill(struct cpumap *map, uint64_t cpus)
{
    unsigned int cpu;

    if (!map->words)
        cpumap_init(map, world.topology.nr_cpus);
    for (cpu = 0; cpu < world.topology.nr_cpus; cpu++)
        if (cpus >> cpu & 1)
            cpumap_set(map, cpu);
}

/* Adds the times of each vCPU, as Xen counts them. */
static struct vcpu_use use_of(const struct world_domain *d)
{
    double share = share_at(d->cpu), each = d->use / d->nr_vcpus;

    return (struct vcpu_use){
        .known = true, .ran = each * share,
        .waited = each * (1 - share) + d->queues / d->nr_vcpus,
    };
}

/* Lets each vCPU of dom0 that serves a guest run at a place of its own. */
static void make_servers(struct domain *d)
{
    unsigned int i, k;

    for (i = 1; i < world.nr; i++)
        for (k = 0; k < d->nr_vcpus; k++)
            if (world.domains[i].served_by >> k & 1)
                servers_add(d, i, k);
    for (k = 0; d->nr_servers && k < d->nr_vcpus; k++) {
        cpumap_free(&d->vcpus[k].hard);
        fill(&d->vcpus[k].hard, world_cpus(&world.topology.places[k]));
    }
}

static void make_domain(struct domains *domains, unsigned int domid)
{
    const struct world_domain *from = &world.domains[domid];
    struct domain *d = domains_add(domains);
    unsigned int i;

    d->domid = domid;
    d->acct = acct_of(domid);
    if (from->group)
        snprintf(d->group, sizeof(d->group), "g%u", from->group);
    d->driver = from->driver;
    d->pool = from->pool;
    d->affinity = from->operators ? AFFINITY_OPERATOR
                : from->ours ? AFFINITY_OURS : AFFINITY_DEFAULT;
    snprintf(d->name, sizeof(d->name), domid ? "guest-%u" : "Domain-0",
             domid);
    fill(&d->pool_cpus, from->pool ? from->pool : world.all);
    domain_make_vcpus(d, from->nr_vcpus, world.topology.nr_cpus);
    for (i = 0; i < d->nr_vcpus; i++) {
        d->vcpus[i].online = true;
        d->vcpus[i].cpu = from->cpu;
        fill(&d->vcpus[i].hard, from->hard);
        fill(&d->vcpus[i].soft, from->soft);
        d->vcpus[i].use = use_of(from);
    }
    if (!domid)
        make_servers(d);
    if (from->memory)
        pages_set(&d->pages, (const uint64_t[]){
            from->memory * (100 - from->on_1), from->memory * from->on_1
        }, 2, world.now);
    d->soft_only = from->soft_only;
    d->wakes = (struct domain_wakes){
        .known = from->wakes > 0, .wakes = from->wakes, .migrations = from->migrations,
        .idled = from->idled,
    };
    d->is_stub = from->stub_of;
    d->target = from->stub_of;
    d->ours_hard = from->is_hard;
    if (from->ours)
        fill(&d->ours, from->soft);
}

static void settle_there(struct world_domain *d)
{
    for (d->cpu = 0; !(d->soft >> d->cpu & 1); d->cpu++)
        ;
}

static void pull(struct world_domain *d, enum pull pull)
{
    d->pulls[pull]++;
    if (pull == PULL_HARDEN || pull == PULL_SOFTEN) {
        d->is_hard = pull == PULL_HARDEN;
        d->hard = d->is_hard ? d->soft : world.all;
    }
    if (pull == PULL_HARDEN || (pull == PULL_REMIND && !world.deaf))
        settle_there(d);
}

static void carry_out(const struct decision *decision)
{
    struct world_domain *d = &world.domains[decision->domid];
    unsigned int cpu, was = d->cpu;

    if (decision->verb == KEEP)
        pull(d, decision->pull);
    if (decision->verb == GIVE_BACK) {
        d->soft = d->hard = world.all;
        d->ours = d->is_hard = false;
        d->backs++;
    }
    if (decision->verb != MOVE)
        return;
    d->soft = 0;
    for (cpu = 0; cpu < world.topology.nr_cpus; cpu++)
        if (cpumap_test(&decision->soft, cpu)) {
            d->soft |= 1ULL << cpu;
            d->cpu = cpu;
        }
    d->sent = d->soft;
    d->ours = true;
    d->moves++;
    d->is_hard = decision->hard;
    d->hard = d->is_hard ? d->soft : world.all;
    if (world.deaf && !d->is_hard)
        d->cpu = was;
}

/* The daemon's journal: moves that were carried out. */
static void note_done(struct decision *decision, struct domain *now)
{
    const struct world_domain *d = &world.domains[decision->domid];

    decision->done = decision->verb == MOVE || decision->verb == GIVE_BACK ||
                     decision->pull != PULL_NOTHING;
    if (!decision->done || decision->verb == KEEP)
        return;
    now->affinity = d->ours ? AFFINITY_OURS : AFFINITY_DEFAULT;
    cpumap_free(&now->ours);
    if (d->ours)
        fill(&now->ours, d->soft);
}

/* In mode advise no plan is carried out. */
static bool put_off(const struct decision *decision)
{
    bool waits = world.only_plans || world.domains[decision->domid].waits_its_turn;

    return waits && (decision->verb == MOVE || decision->verb == GIVE_BACK ||
                     decision->pull != PULL_NOTHING);
}

static void make_plan(void)
{
    struct domains domains = { 0 };
    struct policy_input input = {
        .matrix = world.matrix,
        .topology = &world.topology,
        .domains = &domains,
        .now_ns = world.now,
        .distances = world.distances,
        .learned = world.learned,
        .real = world.real,
    };
    struct plan plan;
    unsigned int i;

    for (i = 0; i < world.nr; i++)
        make_domain(&domains, i);
    if (world.rules)
        rules_apply(world.rules, &domains);
    plan_init(&plan, &domains);
    plan_make(world.planner, &input, &plan);
    for (i = 0; i < plan.nr; i++) {
        struct decision *decision = &world.domains[i].decision;

        assert_int_not_equal(plan.decisions[i].reason.code, REASON_NONE);
        reason_text(&plan.decisions[i], &domains.domain[i], &world.topology,
                    world.domains[i].reason);
        if (world.check)
            world.check(&plan.decisions[i]);
        if (plan.decisions[i].news != OUTCOME_NONE)
            world.domains[i].news = plan.decisions[i].news;
        if (!put_off(&plan.decisions[i])) {
            carry_out(&plan.decisions[i]);
            note_done(&plan.decisions[i], &domains.domain[i]);
        }
        *decision = plan.decisions[i];
        decision->soft.words = NULL;
    }
    plan_done(world.planner, &input, &plan);
    plan_free(&plan);
    domains_free(&domains);
}

void world_warm_up(void)
{
    unsigned int tenth;

    for (tenth = 0; tenth < 200; tenth++)
        a_tenth();
}

void world_run(unsigned int seconds)
{
    unsigned int tenth;

    for (; seconds; seconds--) {
        for (tenth = 0; tenth < 10; tenth++)
            a_tenth();
        make_plan();
    }
}

unsigned int world_moves(void)
{
    unsigned int i, moves = 0;

    for (i = 0; i < world.nr; i++)
        moves += world.domains[i].moves;

    return moves;
}

void world_says(unsigned int domid, const char *words)
{
    const char *reason = world.domains[domid].reason;

    if (!strstr(reason, words))
        fail_msg("no '%s' in '%s'", words, reason);
}
