/* SPDX-License-Identifier: GPL-2.0-only */
/* guard.c - see guard.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "../model/memory.h"
#include "guard.h"

/* What is remembered of a domain from run to run. */
struct memory {
    uint32_t domid;
    uint64_t since_ns;         /* of the domain; another one: another domain */
    unsigned int wanted;       /* place which the last runs wanted */
    unsigned int agreed;       /* so many of them, in a row */
    double rate;               /* of talk, in the last one */
    bool moved;
    uint64_t moved_ns;         /* when it was seen at the place we chose */
    struct cpumap moved_to;    /* no map unless moved */
    uint64_t reason_ns;        /* when there was last a reason to be there */
};

/* To count cores once for all domains of a cpupool. */
struct pool {
    struct cpumap cpus;
    unsigned int *cores; /* [place] */
};

struct guard {
    struct policy_settings settings;
    bool several;
    unsigned int nr;
    struct memory *domains; /* sorted by domid */
    /* The present run. */
    const struct policy_input *input;
    struct plan *plan;
    struct standing *standing;
    double *taken;
    unsigned int nr_pools;
    struct pool *pools;
};

/* One domain in one run. */
struct view {
    struct guard *guard;
    const struct domain *domain;
    const struct opinion *opinion;
    struct memory *memory;
    struct standing *standing;
    struct decision *decision;
};

struct guard *guard_new(const struct policy_settings *settings, bool several)
{
    struct guard *g = need_memory(1, sizeof(*g));

    guard_change(g, settings, several);

    return g;
}

void guard_change(struct guard *g, const struct policy_settings *settings,
                  bool several)
{
    g->settings = *settings;
    g->several = several;
}

/* What is of one run. */
static void forget_run(struct guard *g)
{
    unsigned int i;

    for (i = 0; i < g->nr_pools; i++) {
        cpumap_free(&g->pools[i].cpus);
        free(g->pools[i].cores);
    }
    free(g->pools);
    g->pools = NULL;
    g->nr_pools = 0;
    free(g->standing);
    free(g->taken);
}

void guard_free(struct guard *g)
{
    unsigned int i;

    forget_run(g);
    for (i = 0; i < g->nr; i++)
        cpumap_free(&g->domains[i].moved_to);
    free(g->domains);
    free(g);
}

/* Places. */

static unsigned int place_of_vcpu(const struct topology *t,
                                  const struct domain *d,
                                  const struct domain_vcpu *vcpu,
                                  bool running)
{
    unsigned int place;
    struct cpumap cpus;

    cpumap_init_copy(&cpus, &vcpu->hard);
    cpumap_and(&cpus, &d->pool_cpus);
    place = topology_place_of_all(t, &cpus);
    if (place == TOPOLOGY_UNKNOWN) {
        cpumap_and(&cpus, &vcpu->soft);
        place = topology_place_of_all(t, &cpus);
    }
    cpumap_free(&cpus);
    if (place == TOPOLOGY_UNKNOWN && running)
        place = topology_place_of(t, vcpu->cpu);

    return place;
}

struct whereabouts guard_find(const struct topology *t,
                              const struct domain *d, bool running)
{
    struct whereabouts w = { .place = TOPOLOGY_UNKNOWN };
    unsigned int *votes = need_memory(t->nr_places, sizeof(*votes));
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        unsigned int place;

        if (!d->vcpus[i].online)
            continue;
        w.online++;
        place = place_of_vcpu(t, d, &d->vcpus[i], running);
        if (place != TOPOLOGY_UNKNOWN)
            votes[place]++;
    }
    for (i = 0; i < t->nr_places; i++)
        if (2 * votes[i] > w.online) {
            w.place = i;
            w.there = votes[i];
        }
    free(votes);

    return w;
}

/* The pCPUs of @place which the domain may use.  To be freed. */
static void usable_cpus(const struct topology *t, const struct domain *d,
                        unsigned int place, struct cpumap *cpus)
{
    cpumap_init_copy(cpus, &t->places[place].cpus);
    cpumap_and(cpus, &d->pool_cpus);
}

/* The cores of each place for who may use @cpus. */
static const unsigned int *cores_of(struct guard *g, const struct cpumap *cpus)
{
    const struct topology *t = g->input->topology;
    struct pool *pool;
    unsigned int i;

    for (i = 0; i < g->nr_pools; i++)
        if (cpumap_equal(&g->pools[i].cpus, cpus))
            return g->pools[i].cores;
    g->pools = need_more_memory(g->pools, g->nr_pools + 1, sizeof(*g->pools));
    pool = &g->pools[g->nr_pools++];
    cpumap_init_copy(&pool->cpus, cpus);
    pool->cores = need_memory(t->nr_places, sizeof(*pool->cores));
    for (i = 0; i < t->nr_places; i++) {
        struct cpumap usable;

        cpumap_init_copy(&usable, cpus);
        cpumap_and(&usable, &t->places[i].cpus);
        pool->cores[i] = topology_cores(t, &usable);
        cpumap_free(&usable);
    }

    return pool->cores;
}

/* Was it put there by whoever made it? */
static bool is_there(const struct domain *d, const struct topology_place *place)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_subset(&d->vcpus[i].soft, &place->cpus))
            return false;

    return true;
}

/* Memory. */

static void forget_wish(struct memory *memory)
{
    memory->wanted = TOPOLOGY_UNKNOWN;
    memory->agreed = 0;
}

static bool same_domain(const struct memory *m, const struct domain *d)
{
    return m->domid == d->domid && m->since_ns == d->since_ns;
}

/* Take over what is known of domains that are still there. */
static void remember(struct guard *g, const struct domains *domains)
{
    struct memory *now = need_memory(domains->nr, sizeof(*now));
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
        forget_wish(&now[i]);
    }
    while (k < g->nr)
        cpumap_free(&g->domains[k++].moved_to);
    free(g->domains);
    g->domains = now;
    g->nr = domains->nr;
}

/* Notice that somebody carried out what was decided. */
static void follow(struct memory *m, const struct domain *d, uint64_t now_ns)
{
    bool ours = d->affinity == AFFINITY_OURS;

    if (ours && m->moved && cpumap_equal(&m->moved_to, &d->ours))
        return;
    cpumap_free(&m->moved_to);
    m->moved = ours;
    if (!ours)
        return;
    cpumap_init_copy(&m->moved_to, &d->ours);
    m->moved_ns = m->reason_ns = now_ns;
    forget_wish(m);
}

/* The beginning of a run. */

/* Is the domain anybody's to decide about?  If not, says why. */
static bool open_to_policies(const struct guard *g, const struct domain *d,
                             struct decision *decision)
{
    uint64_t age = g->input->now_ns - d->since_ns;

    if (d->driver)
        decide(decision, LEAVE, "a driver domain is never moved");
    else if (d->affinity == AFFINITY_OPERATOR)
        decide(decision, LEAVE, "its affinity was set by an operator");
    else if (g->input->topology->nr_places < 2)
        decide(decision, LEAVE, "all pCPUs of this host are in one place");
    else if (cpumap_empty(&d->pool_cpus))
        decide(decision, LEAVE, "it is in no cpupool");
    else if (d->affinity == AFFINITY_DEFAULT && age < g->settings.settle_ns)
        decide(decision, LEAVE, "it is new: seen for %.1f s, has to be %.0f s",
               age / 1e9, g->settings.settle_ns / 1e9);
    else
        return true;

    return false;
}

/* It is, or is going to be, there. */
static void send(struct guard *g, unsigned int i, unsigned int place)
{
    struct standing *s = &g->standing[i];

    s->open = false;
    s->place = place;
    if (place != TOPOLOGY_UNKNOWN)
        g->taken[place] += s->need;
}

static void look_at(struct guard *g, unsigned int i)
{
    const struct domain *d = &g->input->domains->domain[i];
    struct standing *s = &g->standing[i];

    follow(&g->domains[i], d, g->input->now_ns);
    /* All that are not told apart have REST; it is nobody's own. */
    if (d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
        s->need = matrix_service(g->input->matrix, d->acct, g->input->now_ns);
    s->cores = cores_of(g, &d->pool_cpus);
    s->open = open_to_policies(g, d, &g->plan->decisions[i]);
    s->place = guard_find(g->input->topology, d, d->driver).place;
    if (!s->open) {
        forget_wish(&g->domains[i]);
        send(g, i, s->place);
    }
}

void guard_begin(struct guard *g, struct policy_input *input,
                 struct plan *plan)
{
    unsigned int i;

    forget_run(g);
    g->standing = need_memory(plan->nr, sizeof(*g->standing));
    g->taken = need_memory(input->topology->nr_places, sizeof(*g->taken));
    g->input = input;
    g->plan = plan;
    input->standing = g->standing;
    input->taken = g->taken;
    remember(g, input->domains);
    for (i = 0; i < plan->nr; i++)
        look_at(g, i);
}

/* One opinion. */

static const struct topology_place *place_of(const struct view *v)
{
    return &v->guard->input->topology->places[v->opinion->place];
}

static bool has_room(const struct view *v, double factor)
{
    const struct guard *g = v->guard;
    unsigned int place = v->opinion->place;

    return g->taken[place] + v->standing->need <=
           factor * v->standing->cores[place];
}

/* What this policy says against it; what others said stays. */
static void object(const struct view *v, const char *policy, const char *text)
{
    char *reason = v->decision->reason;
    size_t length = strlen(reason);

    snprintf(reason + length, REASON_TEXT - length, "%s%s%s%s",
             length ? "; " : "", v->guard->several ? policy : "",
             v->guard->several ? ": " : "", text);
}

static void object_place(const struct view *v, const char *policy)
{
    unsigned int cores = v->standing->cores[v->opinion->place];
    const struct topology_place *place = place_of(v);
    char text[OPINION_TEXT + 200];

    if (cores < domain_online_vcpus(v->domain))
        policy_say(text, "%s, but of %s %u only %u cores are in its cpupool, "
                   "and it has %u vCPUs", v->opinion->fact, place->kind,
                   place->id, cores, domain_online_vcpus(v->domain));
    else
        policy_say(text, "%s, but %s %u has no room: %u cores, of which %.1f "
                   "are needed by those who are sent there, and it needs %.1f",
                   v->opinion->fact, place->kind, place->id, cores,
                   v->guard->taken[v->opinion->place], v->standing->need);
    object(v, policy, text);
}

/* Do several runs in a row want the same, of a reason that does not cease? */
static bool confirmed(const struct view *v)
{
    unsigned int confirm = v->guard->settings.confirm;
    struct memory *m = v->memory;
    bool ceases = v->opinion->rate < m->rate * GUARD_GOES_ON;

    if (m->wanted != v->opinion->place || (ceases && m->agreed < confirm)) {
        m->wanted = v->opinion->place;
        m->agreed = 0;
    }
    m->rate = v->opinion->rate;
    if (m->agreed < confirm)
        m->agreed++;

    return m->agreed == confirm;
}

/* It can be there, and should. */
static void move(const struct view *v)
{
    const struct opinion *o = v->opinion;
    const struct topology_place *place = place_of(v);

    if (is_there(v->domain, place)) {
        forget_wish(v->memory);
        decide(v->decision, LEAVE, "%s, and it prefers %s %u already",
               o->fact, place->kind, place->id);
        return;
    }
    if (!confirmed(v)) {
        decide(v->decision, v->memory->moved ? KEEP : LEAVE,
               "%s; wait for a confirmation (%u of %u)", o->fact,
               v->memory->agreed, v->guard->settings.confirm);
        return;
    }
    decide(v->decision, MOVE, "%s, %s", o->fact, o->where);
    usable_cpus(v->guard->input->topology, v->domain, o->place,
                &v->decision->soft);
}

/*
 * Where a domain which was moved is; else TOPOLOGY_UNKNOWN.  A pCPU that is
 * offline, and so in no cpupool, is no reason to leave the others.
 */
static unsigned int ours_at(const struct view *v)
{
    unsigned int place;
    struct cpumap cpus;

    if (!v->memory->moved)
        return TOPOLOGY_UNKNOWN;
    cpumap_init_copy(&cpus, &v->domain->ours);
    cpumap_and(&cpus, &v->domain->pool_cpus);
    place = topology_place_of_all(v->guard->input->topology, &cpus);
    cpumap_free(&cpus);

    return place;
}

static bool keep(const struct view *v, const char *policy)
{
    if (!has_room(v, GUARD_ROOM_TO_STAY)) {
        object_place(v, policy);
        return false;
    }
    v->memory->reason_ns = v->guard->input->now_ns;
    forget_wish(v->memory);
    decide(v->decision, KEEP, "%s, %s", v->opinion->fact, v->opinion->where);

    return true;
}

/* Somewhere else than it is.  Returns the place that it takes. */
static unsigned int go(const struct view *v)
{
    uint64_t stayed = v->guard->input->now_ns - v->memory->moved_ns;
    uint64_t stay = v->guard->settings.stay_ns;

    if (v->memory->moved && stayed < stay) {
        decide(v->decision, KEEP, "it was moved %.1f s ago and stays for "
               "%.0f s at least", stayed / 1e9, stay / 1e9);
        return ours_at(v);
    }
    move(v);

    return v->opinion->place;
}

/* Does this opinion decide?  Then it takes *@place. */
static bool consider(const struct view *v, const char *policy,
                     unsigned int *place)
{
    const struct opinion *o = v->opinion;

    if (o->want != WANT_NOTHING && o->place == ours_at(v)) {
        *place = o->place;
        return keep(v, policy);
    }
    if (o->want != WANT_GO) {
        object(v, policy, o->lacks);
        return false;
    }
    if (v->standing->cores[o->place] < domain_online_vcpus(v->domain) ||
        !has_room(v, GUARD_ROOM_TO_GO)) {
        object_place(v, policy);
        return false;
    }
    *place = go(v);

    return true;
}

static struct view view_of(struct guard *g, unsigned int i)
{
    return (struct view){
        .guard = g,
        .domain = &g->input->domains->domain[i],
        .memory = &g->domains[i],
        .standing = &g->standing[i],
        .decision = &g->plan->decisions[i],
    };
}

static void take_one(struct guard *g, const char *policy,
                     const struct opinion *opinion, unsigned int i)
{
    struct view v = view_of(g, i);
    unsigned int place = TOPOLOGY_UNKNOWN;

    v.opinion = opinion;
    if (opinion->partner && !v.decision->partner) {
        v.decision->partner = opinion->partner;
        v.decision->rate = opinion->rate;
        v.decision->share = opinion->share;
    }
    if (!consider(&v, policy, &place))
        return;
    v.decision->policy = policy;
    v.decision->partner = opinion->partner;
    v.decision->rate = opinion->rate;
    v.decision->share = opinion->share;
    send(g, i, place);
}

/* Who is there already comes before who wants to go there. */
void guard_take(struct guard *g, const char *policy,
                const struct opinion *opinions)
{
    unsigned int i, pass;

    for (pass = 0; pass < 2; pass++)
        for (i = 0; i < g->plan->nr; i++)
            if (g->standing[i].open && g->domains[i].moved == !pass)
                take_one(g, policy, &opinions[i], i);
}

/* The end of a run. */

/* It is where it was moved, and nobody wants it anywhere. */
static void without_reason(struct guard *g, const struct memory *m,
                           struct decision *decision)
{
    double idle = (g->input->now_ns - m->reason_ns) / 1e9;

    if (g->input->now_ns - m->reason_ns >= g->settings.quiet_ns)
        decide(decision, GIVE_BACK, "for %.0f s there was no reason for it to "
               "be there", idle);
    else
        decide(decision, KEEP, "it was moved, and had a reason to be there "
               "%.1f s ago", idle);
}

void guard_end(struct guard *g)
{
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++) {
        if (!g->standing[i].open)
            continue;
        forget_wish(&g->domains[i]);
        if (!g->plan->decisions[i].reason[0])
            decide(&g->plan->decisions[i], LEAVE, "no policy is on");
        if (g->domains[i].moved)
            without_reason(g, &g->domains[i], &g->plan->decisions[i]);
    }
}
