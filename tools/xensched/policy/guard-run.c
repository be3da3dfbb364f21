/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the state of the constraints from one run to the next. */
#include <stdlib.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "model/residency/presence.h"
#include "model/runnable.h"
#include "guard.h"
#include "location.h"

struct planner *planner_new(const struct policies *policies,
                            const struct policy_settings *settings)
{
    struct planner *g = need_memory(1, sizeof(*g));

    g->homes = homes_new();
    planner_change(g, policies, settings);

    return g;
}

void planner_change(struct planner *g, const struct policies *policies,
                    const struct policy_settings *settings)
{
    g->policies = *policies;
    g->settings = *settings;
}

/* Frees the state of one run. */
static void forget_run(struct planner *g)
{
    unsigned int i;

    for (i = 0; i < g->nr_pools; i++) {
        cpumap_free(&g->pools[i].cpus);
        free(g->pools[i].cores);
    }
    free(g->pools);
    g->pools = NULL;
    g->nr_pools = 0;
    free(g->busy);
    g->busy = NULL;
    free(g->exchanges);
    g->exchanges = NULL;
    free(g->guarded);
    room_free(&g->room);
    free(g->cpupools);
}

void planner_free(struct planner *g)
{
    unsigned int i;

    if (!g)
        return;
    forget_run(g);
    for (i = 0; i < g->nr; i++)
        cpumap_free(&g->domains[i].moved_to);
    free(g->domains);
    homes_free(g->homes);
    work_sums_free(g->sums);
    free(g);
}

/* Places. */

/* Returns, for each cache, the number of its cores that are in @cpus. */
static unsigned int *count_cores(const struct topology *t, const struct cpumap *cpus)
{
    unsigned int *cores = need_memory(t->nr_caches, sizeof(*cores)), i;

    for (i = 0; i < t->nr_caches; i++) {
        struct cpumap usable;

        cpumap_init_copy(&usable, cpus);
        cpumap_and(&usable, &t->caches[i].cpus);
        cores[i] = topology_cores(t, &usable);
        cpumap_free(&usable);
    }

    return cores;
}

static const unsigned int *cores_of(struct planner *g, const struct cpumap *cpus)
{
    struct pool *pool;
    unsigned int i;

    for (i = 0; i < g->nr_pools; i++)
        if (cpumap_equal(&g->pools[i].cpus, cpus))
            return g->pools[i].cores;
    g->pools = need_more_memory(g->pools, g->nr_pools + 1, sizeof(*g->pools));
    pool = &g->pools[g->nr_pools++];
    cpumap_init_copy(&pool->cpus, cpus);
    pool->cores = count_cores(g->input->topology, cpus);

    return pool->cores;
}

const unsigned int *guard_cores(struct planner *g, const struct domain *d)
{
    const unsigned int *cores;
    struct cpumap cpus;

    cpumap_init_copy(&cpus, &d->pool_cpus);
    rule_restrict(d->rule, g->input->topology, &cpus);
    cores = cores_of(g, &cpus);
    cpumap_free(&cpus);

    return cores;
}

/* Pools. */

unsigned int guard_cpupool(const struct planner *g, uint32_t id)
{
    unsigned int i;

    for (i = 0; i < g->nr_cpupools; i++)
        if (g->cpupools[i] == id)
            break;

    return i;
}

/* A pCPU is in one cpupool, so domains of other cpupools use none of its capacity. */
static void find_cpupools(struct planner *g)
{
    const struct topology *t = g->input->topology;
    unsigned int i;

    g->cpupools = need_memory(g->nr + 1, sizeof(*g->cpupools));
    g->nr_cpupools = 0;
    for (i = 0; i < g->nr; i++) {
        uint32_t id = g->input->domains->domain[i].pool;

        g->guarded[i].tenant.pool = guard_cpupool(g, id);
        if (g->guarded[i].tenant.pool == g->nr_cpupools)
            g->cpupools[g->nr_cpupools++] = id;
    }
    room_init(&g->room, g->nr_cpupools + 1, t->nr_caches, t->nr_places);
    for (i = 0; i < t->nr_caches; i++)
        g->room.within[i] = t->caches[i].within;
}

const double *guard_busy(struct planner *g)
{
    const struct policy_input *input = g->input;

    if (g->busy)
        return g->busy;
    g->busy = need_memory(input->topology->nr_cpus, sizeof(*g->busy));
    matrix_busy(input->matrix, g->busy, input->topology->nr_cpus,
                input->now_ns);

    return g->busy;
}

/* Memory. */

static void forget_wanted(struct past *past)
{
    past->wanted = TOPOLOGY_UNKNOWN;
    past->agreed = 0;
}

void guard_end_row(const struct planner *g, struct past *past)
{
    if (!g->input->requested)
        forget_wanted(past);
}

static bool same_domain(const struct past *m, const struct domain *d)
{
    return m->domid == d->domid && m->since_ns == d->since_ns;
}

/* Keeps the state of the domains that still exist. */
static void remember_domains(struct planner *g, const struct domains *domains)
{
    struct past *now = need_memory(domains->nr, sizeof(*now));
    unsigned int i, k = 0;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        while (k < g->nr && g->domains[k].domid < d->domid)
            cpumap_free(&g->domains[k++].moved_to);
        if (k < g->nr && same_domain(&g->domains[k], d)) {
            now[i] = g->domains[k++];
            continue;
        }
        now[i].domid = d->domid;
        now[i].since_ns = d->since_ns;
        now[i].shunned = TOPOLOGY_UNKNOWN;
        outcome_init(&now[i].outcome);
        forget_wanted(&now[i]);
    }
    while (k < g->nr)
        cpumap_free(&g->domains[k++].moved_to);
    free(g->domains);
    g->domains = now;
    g->nr = domains->nr;
}

/* Counts a core that the domain left.  If a trial has set it aside, that says nothing. */
static void leave_core(struct past *m, bool ours, uint64_t now_ns)
{
    if (!m->at_core || !(ours || m->undo.news != OUTCOME_NONE))
        return;
    m->left_core_ns = now_ns;
    if (m->left_cores < GUARD_SHUN_TIMES)
        m->left_cores++;
}

/* Returns the ns that are left of shunning; the @times-th shunning began at @since_ns. */
static uint64_t shun_left(uint64_t since_ns, unsigned int times, uint64_t now_ns)
{
    uint64_t since = now_ns - since_ns;
    uint64_t time = times ? GUARD_SHUN_NS << (times - 1) : 0;

    return since < time ? time - since : 0;
}

uint64_t guard_shun_left(const struct past *m, uint64_t now_ns)
{
    return shun_left(m->shunned_ns, m->shuns, now_ns);
}

void guard_follow(struct past *m, const struct policy_input *input, const struct domain *d)
{
    bool ours = d->affinity == AFFINITY_OURS;
    uint64_t now_ns = input->now_ns;

    if (ours && m->moved && cpumap_equal(&m->moved_to, &d->ours))
        return;
    if (m->moved && !ours)
        outcome_return(&m->outcome, now_ns);
    leave_core(m, ours, now_ns);
    m->at_core = ours && guard_sent_to(input->topology, d).core;
    cpumap_free(&m->moved_to);
    m->undo.news = OUTCOME_NONE;
    m->moved = ours;
    if (!ours)
        return;
    cpumap_init_copy(&m->moved_to, &d->ours);
    m->moved_ns = m->reason_ns = now_ns;
    m->lever = (struct lever){ 0 };
    forget_wanted(m);
}

/*
 * If the domain's work costs more, the domain is not sent there again for a time, which
 * grows with each such move.  If the predicted saving is missing, the domain is not moved at
 * all for a time.  That time is far longer after the second such move, because the partner
 * that the domain follows keeps moving.  The verdict stands until the move is undone.
 */
static void condemn_move(const struct planner *g, struct past *m,
                         const struct domain *d, const struct decision *decision)
{
    m->undo = decision->verdict;
    /* The other pCPUs of its place are not to blame. */
    if (m->at_core && decision->news == OUTCOME_WORSE)
        return;
    m->shunned = topology_place_of_all(g->input->topology, &d->ours);
    m->shunned_ns = g->input->now_ns;
    m->shuns_all = decision->news == OUTCOME_REGRET;
    m->shuns += m->shuns_all && m->shuns ? GUARD_REGRET_AGAIN : 1;
    if (m->shuns > GUARD_SHUN_TIMES)
        m->shuns = GUARD_SHUN_TIMES;
}

/* Checks whether the domain runs where it was sent. */
static void see_outcome(const struct planner *g, struct past *m,
                        const struct domain *d, struct decision *decision)
{
    if (!g->input->real)
        return;
    if (!m->moved)
        return;
    decision->news = outcome_check(&m->outcome, g->input, d, &d->ours);
    if (d->tried && (decision->news == OUTCOME_WORSE || decision->news == OUTCOME_REGRET))
        decision->news = OUTCOME_NONE;
    decision->verdict = outcome_verdict(&m->outcome, decision->news, g->input, d, &d->ours);
    if (decision->news == OUTCOME_WORSE || decision->news == OUTCOME_REGRET)
        condemn_move(g, m, d, decision);
}

/* Adds what the work of each domain cost in the part of a window that has ended. */
static void see_costs(struct planner *g)
{
    const struct policy_input *input = g->input;
    uint64_t began_ns = g->sums ? work_sums_time(g->sums) : 0;
    struct work_sums *now;
    struct work *work;
    unsigned int i;

    if (!input->real ||
        (g->sums && input->now_ns - began_ns < input->window_ns / OUTCOME_PARTS))
        return;
    now = work_sums_take(input->matrix, input->domains, input->now_ns);
    work = g->sums ? work_between(g->sums, now) : NULL;
    for (i = 0; work && i < g->nr; i++)
        outcome_window(&g->domains[i].outcome, input, &input->domains->domain[i],
                       &work[i], began_ns);
    free(work);
    work_sums_free(g->sums);
    g->sums = now;
}

/* The beginning of a run. */

/* The weight of the present run in a mean of waits. */
#define WAITS_PART 0.125

enum affinity_lever guard_lever(const struct planner *g, const struct domain *d)
{
    return d->soft_only || d->pool_soft ? LEVER_SOFT : g->settings.lever;
}

/* Returns whether the guard may decide about the domain; if not, sets the reason. */
static bool is_open(const struct planner *g, const struct domain *d,
                    struct decision *decision)
{
    uint64_t age = g->input->now_ns - d->since_ns;

    if (d->driver)
        decide(decision, LEAVE, (struct reason){ .code = REASON_DRIVER });
    else if (d->affinity == AFFINITY_OPERATOR)
        decide(decision, LEAVE, (struct reason){ .code = REASON_OPERATOR });
    else if (d->stays || d->held)
        decide_held(decision, d);
    else if (d->aside)
        decide(decision, d->affinity == AFFINITY_OURS ? GIVE_BACK : LEAVE,
                   (struct reason){ .code = REASON_ASIDE });
    else if (g->input->topology->nr_caches < 2)
        decide(decision, LEAVE, (struct reason){ .code = REASON_ONE_PLACE });
    else if (cpumap_empty(&d->pool_cpus))
        decide(decision, LEAVE, (struct reason){ .code = REASON_NO_POOL });
    else if (d->affinity == AFFINITY_DEFAULT && age < g->settings.settle_ns)
        decide(decision, LEAVE, (struct reason){
            REASON_NEW, .time_ns = age, .least_ns = g->settings.settle_ns });
    else
        return true;

    return false;
}

/* Counts domain @i at @spot: it is there, or the plan sends it there. */
void guard_send(struct planner *g, unsigned int i, struct spot spot)
{
    struct guarded *s = &g->guarded[i];

    s->open = false;
    s->at = spot;
    if (spot.place != TOPOLOGY_UNKNOWN)
        room_change(&g->room, &s->tenant, spot, 1);
}

/* The core that is @cpus, plus 1; 0 if it is all that the cpupool of @d has of @cache. */
static unsigned int core_among(const struct topology *t, const struct domain *d,
                               unsigned int cache, const struct cpumap *cpus)
{
    unsigned int core = topology_core_of_all(t, cpus), cores;
    struct cpumap usable;

    if (core == TOPOLOGY_UNKNOWN)
        return 0;
    cpumap_init_copy(&usable, &t->caches[cache].cpus);
    cpumap_and(&usable, &d->pool_cpus);
    cores = topology_cores(t, &usable);
    cpumap_free(&usable);

    return cores > 1 ? core + 1 : 0;
}

struct spot guard_sent_to(const struct topology *t, const struct domain *d)
{
    struct cpumap cpus;
    struct spot spot;

    cpumap_init_copy(&cpus, &d->ours);
    cpumap_and(&cpus, &d->pool_cpus);
    spot.place = topology_place_of_all(t, &cpus);
    spot.cache = topology_cache_of_all(t, &cpus);
    spot.core = core_among(t, d, spot.cache, &cpus);
    cpumap_free(&cpus);

    return spot;
}

/*
 * A guest without an affinity makes room, a driver domain does not.  Xen moves vCPUs back
 * and forth between the caches of a place, so a cache counts only the guests that an
 * affinity keeps there.
 */
static struct spot spot_of(const struct planner *g, unsigned int i)
{
    const struct topology *t = g->input->topology;
    const struct domain *d = &g->input->domains->domain[i];
    struct spot spot = spot_of_place(TOPOLOGY_UNKNOWN);

    if (d->affinity == AFFINITY_OURS)
        return guard_sent_to(t, d);
    spot.place = (d->driver ? location_find(g->input, i)
                            : location_kept(g->input, i)).place;
    if (spot.place != TOPOLOGY_UNKNOWN)
        spot.cache = topology_only_cache(t, spot.place);
    if (spot.place != TOPOLOGY_UNKNOWN && spot.cache == TOPOLOGY_UNKNOWN)
        spot.cache = location_kept_cache(g->input, i).place;

    return spot;
}

static void see_shunned(struct guarded *s, const struct past *m, uint64_t now_ns)
{
    bool shuns = guard_shun_left(m, now_ns) > 0;

    s->shuns_core = shun_left(m->left_core_ns, m->left_cores, now_ns) > 0;
    s->shuns_all = shuns && m->shuns_all;
    s->shuns = shuns && m->shunned != TOPOLOGY_UNKNOWN ? m->shunned + 1 : 0;
}

static void begin_domain(struct planner *g, unsigned int i)
{
    const struct domain *d = &g->input->domains->domain[i];
    struct guarded *s = &g->guarded[i];
    struct spot spot = spot_of(g, i);

    guard_follow(&g->domains[i], g->input, d);
    s->hardens = guard_lever(g, d) != LEVER_SOFT;
    see_shunned(s, &g->domains[i], g->input->now_ns);
    s->tenant.demand.need = runnable_demand(g->input->matrix, d, g->input->now_ns);
    s->tenant.demand.vcpus = domain_online_vcpus(d);
    s->tenant.cores = guard_cores(g, d);
    s->open = is_open(g, d, &g->plan->decisions[i]);
    s->at = spot;
    see_outcome(g, &g->domains[i], d, &g->plan->decisions[i]);
    s->absent = g->domains[i].moved &&
                g->domains[i].outcome.where == OUTCOME_ELSEWHERE;
    if (!s->open) {
        guard_end_row(g, &g->domains[i]);
        guard_send(g, i, spot);
    } else if (g->domains[i].undo.news != OUTCOME_NONE) {
        decide(&g->plan->decisions[i], GIVE_BACK, (struct reason){ .code = REASON_UNDONE });
        g->plan->decisions[i].verdict = g->domains[i].undo;
        s->open = false;
    }
}

static void stay_with_device_model(struct planner *g, unsigned int stub, unsigned int guest)
{
    const struct domain *d = &g->input->domains->domain[guest];

    decide(&g->plan->decisions[guest], d->affinity == AFFINITY_OURS ? KEEP : LEAVE,
           (struct reason){ REASON_DEVICE_MODEL,
                            .other = &g->input->domains->domain[stub] });
    guard_send(g, guest, spot_of(g, guest));
}

/* The policy decides about the guest alone; a device model that may move follows. */
static void join_stub(struct planner *g, unsigned int stub, unsigned int guest)
{
    struct guarded *s = &g->guarded[stub], *of_guest = &g->guarded[guest];

    s->goes_with = guest + 1;
    g->plan->decisions[stub].follows = s->open;
    if (!s->open && of_guest->open) {
        stay_with_device_model(g, stub, guest);
    } else if (!of_guest->open && s->open) {
        guard_send(g, stub, spot_of(g, stub));
    } else if (s->open) {
        s->open = false;
        demand_add(&of_guest->tenant.demand, s->tenant.demand, 1);
        s->tenant.demand = (struct demand){ 0 };
    }
}

static void join_device_models(struct planner *g)
{
    const struct domains *domains = g->input->domains;
    unsigned int i;

    for (i = 0; i < g->nr; i++) {
        const struct domain *d = &domains->domain[i];
        const struct domain *guest = d->is_stub ? domains_find(domains, d->target)
                                                : NULL;

        if (guest && guest != d && !guest->is_stub && guest->pool == d->pool)
            join_stub(g, i, guest - domains->domain);
    }
}

static uint64_t window_of(const struct policy_settings *settings)
{
    uint64_t window = settings->stay_ns / 2;

    return window < OUTCOME_WINDOW_LEAST_NS ? OUTCOME_WINDOW_LEAST_NS
         : window > OUTCOME_WINDOW_NS ? OUTCOME_WINDOW_NS : window;
}

void guard_tell(struct planner *g, struct policy_input *input)
{
    input->window_ns = window_of(&g->settings);
    input->guarded = g->guarded;
    input->nr_cpupools = g->nr_cpupools;
    input->room = &g->room;
    input->homes = g->homes;
    input->queueing = &g->queueing;
    input->exchanges = g->exchanges;
}

/* Domains wait for other reasons as well, and these waits are no price of a shared core. */
static void note_waits(struct planner *g)
{
    bool shared = false;
    unsigned int i;

    for (i = 0; i < g->nr; i++)
        shared |= g->domains[i].at_core;
    for (i = 0; i < g->nr; i++) {
        const struct domain *d = &g->input->domains->domain[i];
        struct past *m = &g->domains[i];

        if (!(d->driver ? shared : m->at_core))
            m->waits_alone += WAITS_PART *
                (runnable_of(g->input->matrix, d, g->input->now_ns).queued - m->waits_alone);
        g->guarded[i].waits_alone = m->waits_alone;
    }
}

void guard_begin(struct planner *g, struct policy_input *input,
                 struct plan *plan)
{
    unsigned int i;

    forget_run(g);
    g->guarded = need_memory(plan->nr, sizeof(*g->guarded));
    g->input = input;
    g->plan = plan;
    input->since_ns = input->now_ns - g->periodic_ns;
    homes_update(g->homes, input->matrix, input->topology, input->domains,
                 input->now_ns);
    remember_domains(g, input->domains);
    find_cpupools(g);
    if (input->real)
        g->exchanges = presence_exchanges(input->matrix, input->topology, input->domains,
                                          input->now_ns);
    guard_tell(g, input);
    see_costs(g);
    for (i = 0; i < plan->nr; i++)
        begin_domain(g, i);
    note_waits(g);
    join_device_models(g);
    if (!input->requested)
        g->periodic_ns = input->now_ns;
}
