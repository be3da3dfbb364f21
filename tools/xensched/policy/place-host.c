/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes a host as a placement: its spots, its units, and where the units run. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "model/residency/presence.h"
#include "model/runnable.h"
#include "model/residency/servers.h"
#include "place-core.h"
#include "place-distance.h"
#include "place-links.h"
#include "place.h"
#include "talk.h"

/* The part of a free domain's time that may be elsewhere in the next second. */
#define STRAYS 0.5

#define NS_PER_S 1e9

/* Spots. */

static unsigned int whole_place(const struct placement *p, unsigned int place)
{
    unsigned int i;

    for (i = p->nr_caches; i < p->nr_spots; i++)
        if (p->spots[i].place == place && p->spots[i].cache == TOPOLOGY_UNKNOWN)
            return i;

    return ANYWHERE;
}

static unsigned int spot_of(const struct placement *p,
                            const struct guarded *s)
{
    if (s->at.place == TOPOLOGY_UNKNOWN)
        return ANYWHERE;
    if (s->at.core)
        return place_core_spot(p, s->at.core);

    return s->at.cache == TOPOLOGY_UNKNOWN ? whole_place(p, s->at.place) : s->at.cache;
}

/* Uses the measured distances, or the assumed ones (model/topology/distance.h). */
static void describe_distances(struct placement *p,
                               const struct distances *d)
{
    struct prices *prices = &p->prices;

    if (!d)
        return;
    prices->line[SAME_PCPU] = d->ns[DISTANCE_LINE][RELATION_PCPU];
    prices->line[SAME_CORE] = d->ns[DISTANCE_LINE][RELATION_CORE];
    prices->line[SAME_CACHE] = d->ns[DISTANCE_LINE][RELATION_LLC];
    prices->line[SAME_PLACE] = d->ns[DISTANCE_LINE][RELATION_NODE];
    prices->line[OTHER_PLACE] = d->ns[DISTANCE_LINE][RELATION_REMOTE];
    prices->memory_local = d->ns[DISTANCE_MEMORY][RELATION_NODE];
    prices->memory_remote = d->ns[DISTANCE_MEMORY][RELATION_REMOTE];
}

/* Each pair of nodes has its own distance. */
static void describe_apart(struct placement *p, const struct topology *t,
                           const struct distances *d, unsigned int a,
                           unsigned int b)
{
    const struct prices *prices = &p->prices;
    unsigned int x = t->places[a].id, y = t->places[b].id;
    double *apart = &p->apart[a * t->nr_places + b];
    double *remote = &p->remote[a * t->nr_places + b];
    double far = prices->line[OTHER_PLACE] - prices->line[SAME_PLACE];

    *apart = far > 0 ? (place_line_ns(t, d, a, b) - prices->line[SAME_PLACE]) /
                       far : 1;
    if (strcmp(t->places[a].kind, "node"))
        return;
    *remote = prices->memory_remote - prices->memory_local;
    if (!d || x >= d->nr_nodes || y >= d->nr_nodes)
        return;
    *remote = distance_nodes_ns(d, DISTANCE_MEMORY, x, y, NULL) -
              distance_nodes_ns(d, DISTANCE_MEMORY, x, x, NULL);
}

static void describe_spots(struct placement *p, const struct topology *t,
                           const struct distances *d)
{
    unsigned int i, k, whole = p->nr_caches;

    describe_distances(p, d);
    for (i = 0; i < t->nr_caches; i++) {
        p->spots[i].place = t->caches[i].within;
        p->cores[i] = topology_cores(t, &t->caches[i].cpus);
        p->threads[i] = cpumap_count(&t->caches[i].cpus);
    }
    for (i = 0; i < t->nr_places; i++) {
        for (k = 0; k < t->nr_places; k++)
            if (i != k)
                describe_apart(p, t, d, i, k);
        if (topology_only_cache(t, i) != TOPOLOGY_UNKNOWN)
            continue;
        p->cores[whole] = topology_cores(t, &t->places[i].cpus);
        p->spots[whole++] = spot_of_place(i);
    }
}

/* Counts the cores and pCPUs that a cpupool has of each place, from those of its domains. */
static void describe_pools(struct place_host *h)
{
    const struct topology *t = h->input->topology;
    struct placement *p = &h->placement;
    unsigned int i, place;

    for (i = 0; i < h->input->domains->nr; i++)
        for (place = 0; place < t->nr_places; place++) {
            size_t at = h->input->guarded[i].tenant.pool * t->nr_places + place;
            struct cpumap cpus;

            cpumap_init_copy(&cpus, &t->places[place].cpus);
            cpumap_and(&cpus, &place_domain(h, i)->pool_cpus);
            p->place_cores[at] = topology_cores(t, &cpus);
            p->place_threads[at] = cpumap_count(&cpus);
            cpumap_free(&cpus);
        }
}

static unsigned int count_whole(const struct topology *t)
{
    unsigned int i, whole = 0;

    for (i = 0; i < t->nr_places; i++)
        whole += topology_only_cache(t, i) == TOPOLOGY_UNKNOWN;

    return whole;
}

/* Shares of the time of a unit without a spot. */

static void add_share(double *share, const struct topology *t,
                      const struct cpumap *cpus, double part)
{
    unsigned int total = cpumap_count(cpus), cpu;

    for (cpu = 0; cpu < t->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu) &&
            topology_cache_of(t, cpu) != TOPOLOGY_UNKNOWN)
            share[topology_cache_of(t, cpu)] += part / total;
}

/* Adds a vCPU whose hard affinity, or with @asked its soft one, is within one place. */
static bool add_kept(double *share, const struct topology *t,
                     const struct domain *d, const struct domain_vcpu *vcpu,
                     bool asked, double part)
{
    struct cpumap cpus;
    bool kept;

    cpumap_init_copy(&cpus, &vcpu->hard);
    cpumap_and(&cpus, &d->pool_cpus);
    if (asked)
        cpumap_and(&cpus, &vcpu->soft);
    kept = topology_place_of_all(t, &cpus) != TOPOLOGY_UNKNOWN;
    if (kept)
        add_share(share, t, &cpus, part);
    cpumap_free(&cpus);

    return kept;
}

/* Returns false if the log has no rows of the domain. */
static bool add_logged(const struct place_host *h, double *share, unsigned int domain,
                       double part)
{
    const unsigned int nr = h->placement.nr_caches;
    const double *ran = &h->ran_in[(size_t)domain * nr];
    unsigned int i;

    for (i = 0; i < nr; i++) {
        if (ran[i] < 0)
            return false;
        share[i] += part * ran[i];
    }

    return true;
}

/*
 * A hard affinity decides first, then the log.  A soft affinity counts only for a domain
 * without rows in the log; without a soft affinity, that domain may be anywhere.
 */
static void add_domain(const struct place_host *h, double *share, unsigned int domain,
                       double part)
{
    const struct topology *t = h->input->topology;
    const struct domain *d = place_domain(h, domain);
    unsigned int i, online = domain_online_vcpus(d);

    for (i = 0; i < d->nr_vcpus; i++) {
        const struct domain_vcpu *vcpu = &d->vcpus[i];
        double of_vcpu = part / online;

        if (!vcpu->online || add_kept(share, t, d, vcpu, false, of_vcpu) ||
            add_logged(h, share, domain, of_vcpu))
            continue;
        if (!add_kept(share, t, d, vcpu, true, of_vcpu))
            add_share(share, t, &d->pool_cpus, of_vcpu);
    }
}

/* Returns the cache in which a unit spends all of its time; ANYWHERE: no such cache. */
static unsigned int only_spot(const struct placement *p, const double *share)
{
    unsigned int i;

    for (i = 0; i < p->nr_caches; i++)
        if (share[i] > 0.999)
            return i;

    return ANYWHERE;
}

/* Units. */

static void add_misses(const struct place_host *h, struct unit *u,
                       unsigned int i)
{
    const struct domain *d = place_domain(h, i);
    double counted = 0;

    if (h->counts_misses && d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
        counted = matrix_use(h->input->matrix, XEN_SCHEDLOG_EV_PMC0, d->acct,
                             h->input->now_ns);
    if (counted > 0)
        u->misses_counted = true;
    u->misses += counted > 0 ? counted
                             : runnable_of(h->input->matrix, d, h->input->now_ns).ran *
                               NS_PER_S * h->placement.prices.misses;
}

/* On a host with one node, all places are equally far from memory. */
static void add_pages(struct place_host *h, unsigned int unit,
                      const struct domain *d)
{
    const struct topology *t = h->input->topology;
    double *pages = &h->placement.pages[unit * t->nr_places];
    unsigned int i;

    for (i = 0; i < t->nr_places; i++) {
        double share = strcmp(t->places[i].kind, "node") ? -1
                     : pages_share(&d->pages, t->places[i].id);

        if (share > 0)
            pages[i] += share;
    }
}

/* Returns whether the domain may move, itself or as the device model of such a guest. */
static bool is_open(const struct place_host *h, unsigned int i)
{
    const struct guarded *s = &h->input->guarded[i];

    return s->open ||
           (s->goes_with && h->input->guarded[s->goes_with - 1].open);
}

/*
 * Returns the number of cores of a spot that a domain may use.  If all of them are in one cache
 * of a place that has several, returns 0 for the place: this cache is a spot already.
 */
static unsigned int cores_at(const struct place_host *h, unsigned int domain,
                             unsigned int number)
{
    const struct topology *t = h->input->topology;
    const struct guarded *s = &h->input->guarded[domain];
    const struct spot spot = h->placement.spots[number];
    unsigned int cores = room_cores(h->input->room, &s->tenant, spot), i;

    if (spot.core)
        return place_core_open(h, domain, number);
    if (spot.cache != TOPOLOGY_UNKNOWN)
        return cores;
    for (i = 0; i < t->nr_caches; i++)
        if (t->caches[i].within == spot.place && s->tenant.cores[i] == cores)
            return 0;

    return t->nr_places > 1 ? cores : 0;
}

/* A unit can be where all of its domains can be. */
static void restrict_usable(unsigned int *usable, unsigned int cores)
{
    if (cores < *usable)
        *usable = cores;
}

/* Adds a domain to its unit. */
static void describe_domain(struct place_host *h, unsigned int i)
{
    struct placement *p = &h->placement;
    unsigned int unit = h->unit[i], nr = p->nr_caches, k;
    const struct guarded *s = &h->input->guarded[i];
    const struct domain *d = place_domain(h, i);
    struct unit *u = &p->units[unit];
    /* Room is counted by cpupool, so a group in several of them stays where it is. */
    bool elsewhere = h->input->guarded[h->stands[unit]].tenant.pool != s->tenant.pool;
    double *own = need_memory(nr, sizeof(*own));

    add_domain(h, own, i, 1);
    demand_add(&u->demand, s->tenant.demand, 1);
    if (s->tenant.demand.vcpus > u->width)
        u->width = s->tenant.demand.vcpus;
    u->queued += runnable_of(h->input->matrix, d, h->input->now_ns).queued;
    u->waits_alone += s->waits_alone;
    u->wakes += d->wakes.wakes;
    u->migrations += fmax(d->wakes.migrations, 0);
    u->pool = h->input->guarded[h->stands[unit]].tenant.pool;
    add_misses(h, u, i);
    add_pages(h, unit, d);
    for (k = 0; k < nr; k++)
        p->share[unit * nr + k] += own[k];
    /* Either all domains of a unit may move, or the unit is a single domain. */
    u->movable = is_open(h, i);
    if (!u->movable)
        u->origin = only_spot(p, own);
    free(own);
    for (k = 0; k < p->nr_spots; k++) {
        restrict_usable(&p->usable[unit * p->nr_spots + k],
                        elsewhere ? 0 : cores_at(h, i, k));
        /* A unit shuns each place that one of its domains shuns. */
        p->shunned[unit * p->nr_spots + k] |= guarded_shuns(s, p->spots[k].place);
    }
}

/* The vCPUs of a unit that an affinity keeps at a spot, and those sent there. */
struct votes {
    unsigned int kept, sent;
};

/*
 * A group's origin is the spot to which most of its vCPUs were sent, or else the spot at which
 * affinities keep most of them.  The other guests follow: see place.c.
 */
static void find_origins(struct place_host *h)
{
    struct placement *p = &h->placement;
    struct votes *votes = need_memory((size_t)p->nr_units * p->nr_spots,
                                      sizeof(*votes));
    unsigned int i;

    for (i = 0; i < h->input->domains->nr; i++) {
        const struct guarded *s = &h->input->guarded[i];
        unsigned int spot = s->open ? spot_of(p, s) : ANYWHERE;
        struct unit *u = &p->units[h->unit[i]];
        struct votes *here, *best;

        /* A guest whose core is no spot any more counts in its cache, and moves: see place.c. */
        if (s->open && s->at.core &&
            (spot == ANYWHERE || !p->usable[h->unit[i] * p->nr_spots + spot]))
            spot = s->at.cache;
        if (spot == ANYWHERE)
            continue;
        here = &votes[h->unit[i] * p->nr_spots + spot];
        best = u->origin == ANYWHERE ? here
             : &votes[h->unit[i] * p->nr_spots + u->origin];
        here->kept += s->tenant.demand.vcpus;
        if (place_domain(h, i)->affinity == AFFINITY_OURS) {
            here->sent += s->tenant.demand.vcpus;
            u->bound = true;
        }
        if (u->origin == ANYWHERE || here->sent > best->sent ||
            (here->sent == best->sent && here->kept > best->kept))
            u->origin = spot;
    }
    free(votes);
}

/* Describes the vCPU of a driver domain, which an affinity keeps at one place. */
static void describe_server(struct place_host *h, unsigned int unit)
{
    struct placement *p = &h->placement;
    const struct domain *d = place_domain(h, h->stands[unit]);
    double *share = &p->share[unit * p->nr_caches];

    add_kept(share, h->input->topology, d, &d->vcpus[h->vcpu[unit]], false, 1);
    p->units[unit].origin = only_spot(p, share);
    p->units[unit].pool = h->input->guarded[h->stands[unit]].tenant.pool;
}

/* Turns the sums over a unit's members into shares. */
static void finish_unit(struct placement *p, unsigned int unit,
                        unsigned int members)
{
    const struct unit *u = &p->units[unit];
    double *share = &p->share[unit * p->nr_caches], cores = 0;
    double *stray = &p->stray[unit * p->nr_caches];
    const unsigned int *usable = &p->usable[unit * p->nr_spots];
    unsigned int i;

    for (i = 0; i < p->nr_places; i++)
        p->pages[unit * p->nr_places + i] /= members;
    for (i = 0; i < p->nr_caches; i++)
        cores += usable[i];
    for (i = 0; i < p->nr_caches; i++) {
        double anywhere = cores > 0 ? usable[i] / cores : 0;

        share[i] /= members;
        /* Without its affinity, this domain might run on any of its cores. */
        if (u->movable && u->origin != ANYWHERE)
            share[i] = anywhere;
        stray[i] = u->movable ? (1 - STRAYS) * share[i] + STRAYS * anywhere
                              : share[i];
    }
}

static void describe_units(struct place_host *h)
{
    struct placement *p = &h->placement;
    unsigned int i, k;

    h->members = need_memory(p->nr_units, sizeof(*h->members));
    for (i = 0; i < p->nr_units; i++)
        for (k = 0; h->vcpu[i] == ALL_VCPUS && k < p->nr_spots; k++)
            p->usable[i * p->nr_spots + k] = UINT_MAX;
    for (i = 0; i < h->input->domains->nr; i++) {
        h->members[h->unit[i]]++;
        describe_domain(h, i);
    }
    find_origins(h);
    for (i = 0; i < p->nr_units; i++)
        if (h->vcpu[i] != ALL_VCPUS) {
            h->members[i] = 1;
            describe_server(h, i);
        }
    for (i = 0; i < p->nr_units; i++)
        finish_unit(p, i, h->members[i]);
}

static unsigned int count_servers(const struct place_host *h)
{
    unsigned int nr = 0, i;

    for (i = 0; i < h->input->domains->nr; i++)
        if (place_domain(h, i)->nr_servers)
            nr += place_domain(h, i)->nr_vcpus;

    return nr;
}

/* Adds the vCPUs of driver domains after @units units.  Returns the new number of units. */
static unsigned int find_servers(struct place_host *h, unsigned int units)
{
    unsigned int i, k;

    for (i = 0; i < h->input->domains->nr; i++) {
        if (!place_domain(h, i)->nr_servers)
            continue;
        h->server[i] = units;
        for (k = 0; k < place_domain(h, i)->nr_vcpus; k++) {
            h->stands[units] = i;
            h->vcpu[units++] = k;
        }
    }

    return units;
}

struct grouped {
    const struct domain *domain;
    unsigned int i;
};

/* Sorts by group, and within a group puts moved guests first. */
static int compare_grouped(const void *x, const void *y)
{
    const struct grouped *a = x, *b = y;
    bool a_moved = a->domain->affinity == AFFINITY_OURS;
    int groups = strcmp(a->domain->group, b->domain->group);

    if (groups)
        return groups;
    if (a_moved != (b->domain->affinity == AFFINITY_OURS))
        return a_moved ? -1 : 1;

    return a->i < b->i ? -1 : 1;
}

/*
 * Finds the leader of each domain: the domain that represents its unit.  The leader of an open
 * guest in a group is one guest of that group.  A device model has the leader of its guest.
 */
static unsigned int *find_leaders(const struct place_host *h)
{
    const struct guarded *guarded = h->input->guarded;
    unsigned int nr = h->input->domains->nr, nr_grouped = 0, i;
    unsigned int *leader = need_memory(nr, sizeof(*leader));
    struct grouped *grouped = need_memory(nr, sizeof(*grouped)), *first = grouped;

    for (i = 0; i < nr; i++) {
        leader[i] = i;
        if (guarded[i].open && place_domain(h, i)->group[0])
            grouped[nr_grouped++] = (struct grouped){ place_domain(h, i), i };
    }
    qsort(grouped, nr_grouped, sizeof(*grouped), compare_grouped);
    for (i = 0; i < nr_grouped; i++) {
        if (strcmp(grouped[i].domain->group, first->domain->group))
            first = &grouped[i];
        leader[grouped[i].i] = first->i;
    }
    for (i = 0; i < nr; i++)
        if (guarded[i].goes_with && guarded[guarded[i].goes_with - 1].open)
            leader[i] = leader[guarded[i].goes_with - 1];
    free(grouped);

    return leader;
}

/* The open domains of a group are one unit; each other domain is its own. */
static unsigned int find_units(struct place_host *h)
{
    unsigned int nr = h->input->domains->nr, most = nr + count_servers(h);
    unsigned int units = 0, *leader = find_leaders(h), i;

    h->unit = need_memory(nr, sizeof(*h->unit));
    h->server = need_memory(nr, sizeof(*h->server));
    h->stands = need_memory(most, sizeof(*h->stands));
    h->vcpu = need_memory(most, sizeof(*h->vcpu));
    for (i = 0; i < most; i++)
        h->vcpu[i] = ALL_VCPUS;
    for (i = 0; i < nr; i++)
        if (leader[i] == i) {
            h->unit[i] = units;
            h->stands[units++] = i;
        }
    for (i = 0; i < nr; i++)
        h->unit[i] = h->unit[leader[i]];
    free(leader);

    return find_servers(h, units);
}

/* Weights each unit by the rule of the domain that represents it. */
static void weigh_units(struct place_host *h)
{
    struct placement *p = &h->placement;
    unsigned int i, k;

    p->weight = need_memory((size_t)p->nr_units * NR_TERMS,
                            sizeof(*p->weight));
    for (i = 0; i < p->nr_units; i++) {
        const struct rule *rule = place_domain(h, h->stands[i])->rule;

        for (k = 0; k < NR_TERMS; k++)
            p->weight[i * NR_TERMS + k] = policies_has_term(h->policies, k);
        p->weight[i * NR_TERMS + TERM_MEMORY] *= rule_weight(rule, RULE_MEMORY);
        p->weight[i * NR_TERMS + TERM_MOVING] *= rule_weight(rule, RULE_MOVING);
    }
}

static void price_before(struct place_host *h)
{
    const struct placement *p = &h->placement;
    unsigned int i, k;

    h->before = need_memory((size_t)p->nr_units * NR_TERMS,
                            sizeof(*h->before));
    for (i = 0; i < p->nr_units; i++)
        for (k = 0; k < NR_TERMS; k++)
            h->before[i * NR_TERMS + k] =
                term_price(p, k, i, p->units[i].origin);
}

/* Leaves out pairs inside of a unit: a unit has no price for being apart from itself. */
static void add_up_talk(struct place_host *h, const struct talk_pair *pairs, unsigned int nr,
                        const double *total)
{
    unsigned int i;

    h->talks = need_memory(h->placement.nr_units, sizeof(*h->talks));
    for (i = 0; i < h->input->domains->nr; i++)
        h->talks[h->unit[i]] += total[i];
    for (i = 0; i < nr; i++)
        if (h->unit[pairs[i].a] == h->unit[pairs[i].b])
            h->talks[h->unit[pairs[i].a]] -= 2 * pairs[i].rate;
}

static void count_notifications(struct place_host *h, const struct talk_pair *pairs,
                                unsigned int nr)
{
    unsigned int i;

    h->notifications = need_memory(h->input->domains->nr, sizeof(*h->notifications));
    for (i = 0; i < nr; i++) {
        h->notifications[pairs[i].a] += pairs[i].rate - pairs[i].pages;
        h->notifications[pairs[i].b] += pairs[i].rate - pairs[i].pages;
    }
}

static void find_ran(struct place_host *h)
{
    const struct policy_input *input = h->input;

    h->ran_in = presence_by_cache(input->matrix, input->topology, input->domains,
                                  input->now_ns);
    h->ran = presence_by_place(input->topology, h->ran_in, input->domains->nr);
}

void place_describe(struct place_host *h, const struct policy_input *input,
                    const struct policies *policies,
                    const struct policy_settings *settings)
{
    const struct topology *t = input->topology;
    double *total = need_memory(input->domains->nr, sizeof(*total));
    struct placement *p = &h->placement;
    unsigned int nr_pairs, units, i;
    struct talk_pair *pairs = talk_pairs(input, &nr_pairs, total);
    struct links of_domains, links;
    struct place_core *cores;
    unsigned int nr_cores;

    memset(h, 0, sizeof(*h));
    h->input = input;
    h->policies = policies;
    h->counts_misses = settings->counts_misses;
    p->prices = prices_default;
    units = find_units(h);
    find_ran(h);
    count_notifications(h, pairs, nr_pairs);
    of_domains = links_find(h, pairs, nr_pairs);
    links = links_join(&of_domains);
    nr_cores = place_cores(h, &cores);
    placement_init(p, t->nr_places, t->nr_caches, count_whole(t) + nr_cores, units,
                   2 * links.nr);
    p->least = settings->least_gain_ns;
    p->prices.misses = settings->misses;
    p->margin = POLICY_MARGIN;
    p->horizon = settings->quiet_ns / NS_PER_S;
    p->nr_pools = input->nr_cpupools;
    describe_spots(p, t, input->distances);
    place_describe_cores(h, cores, nr_cores);
    placement_measure(p);
    memcpy(p->room.taken, input->room->taken,
           p->nr_pools * (size_t)p->room.nr_spots * sizeof(*p->room.taken));
    if (input->nr_cpupools > 1)
        describe_pools(h);
    describe_units(h);
    for (i = 0; i < nr_cores; i++)
        p->units[h->unit[cores[i].server]].origin = place_core_spot(p, cores[i].core + 1);
    links_add_partners(p, &links);
    add_up_talk(h, pairs, nr_pairs, total);
    weigh_units(h);
    placement_ready(p);
    queueing_learn(input->queueing, p, input->now_ns);
    p->queueing = queueing_part(input->queueing);
    price_before(h);
    free(cores);
    free(links.link);
    free(of_domains.link);
    free(pairs);
    free(total);
}

bool place_strays(const struct place_host *h, unsigned int i)
{
    const struct placement *p = &h->placement;

    return p->units[h->unit[i]].origin != ANYWHERE &&
           spot_of(p, &h->input->guarded[i]) != p->units[h->unit[i]].origin;
}

void place_free(struct place_host *h)
{
    placement_free(&h->placement);
    free(h->unit);
    free(h->members);
    free(h->stands);
    free(h->vcpu);
    free(h->server);
    free(h->talks);
    free(h->notifications);
    free(h->ran);
    free(h->ran_in);
    free(h->before);
}
