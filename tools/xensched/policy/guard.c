/* SPDX-License-Identifier: GPL-2.0-only */
/* guard.c - the rules; see guard.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apart.h"
#include "guard-run.h"
#include "whereabouts.h"

/* Places. */

/* The pCPUs of @place which the domain may use.  To be freed. */
static void usable_cpus(const struct domain *d,
                        const struct topology_place *place,
                        struct cpumap *cpus)
{
    cpumap_init_copy(cpus, &place->cpus);
    cpumap_and(cpus, &d->pool_cpus);
}

/* Does its affinity ask for the place already, whoever set it? */
static bool asks_for(const struct domain *d, const struct topology_place *place)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_subset(&d->vcpus[i].soft, &place->cpus))
            return false;

    return true;
}

/* One opinion. */

static unsigned int cores_at(const struct candidate *c, struct spot spot)
{
    return spot.cache == TOPOLOGY_UNKNOWN
           ? c->standing->cores[spot.place]
           : c->standing->cache_cores[spot.cache];
}

static struct demand taken_at(const struct candidate *c, struct spot spot)
{
    return *guard_taken(c->guard, c->standing, spot);
}

static bool has_room(const struct candidate *c, struct spot spot, double part)
{
    return room_for(taken_at(c, spot), c->standing->demand,
                    cores_at(c, spot), part);
}

/* vCPUs may have come online since it went there, and cores have gone. */
static bool can_be(const struct candidate *c, struct spot spot, double part)
{
    return cores_at(c, spot) >= c->standing->demand.vcpus &&
           has_room(c, spot, part);
}

static bool can_go(const struct candidate *c, struct spot spot)
{
    return can_be(c, spot, ROOM_TO_GO);
}

/* What this policy says against it; what others said stays. */
static void object(const struct candidate *c, const char *policy,
                   const char *text)
{
    char *reason = c->decision->reason;
    size_t length = strlen(reason);

    snprintf(reason + length, REASON_TEXT - length, "%s%s%s%s",
             length ? "; " : "", c->guard->several ? policy : "",
             c->guard->several && *policy ? ": " : "", text);
}

/* Who of those sent to the spot needs most; NULL: nobody needs anything. */
static const struct domain *greatest_at(const struct candidate *c,
                                        struct spot spot)
{
    const struct guard *g = c->guard;
    const struct domain *most = NULL;
    double need = 0;
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++) {
        const struct standing *s = &g->standing[i];

        if (s == c->standing || s->place != spot.place || s->open ||
            s->cpupool != c->standing->cpupool ||
            (spot.cache != TOPOLOGY_UNKNOWN && s->cache != spot.cache &&
             s->cache != TOPOLOGY_UNKNOWN) || s->demand.need <= need)
            continue;
        need = s->demand.need;
        most = &g->input->domains->domain[i];
    }

    return most;
}

/* ", of which Domain-0 needs 1.5, those who are there 1.9 together, ..." */
static void describe_need(const struct candidate *c, struct spot spot,
                          char text[OPINION_TEXT])
{
    const struct domain *most = greatest_at(c, spot);
    struct demand taken = taken_at(c, spot);
    char name[DOMAIN_NAME_TEXT], together[60] = "";
    double need = most ? c->guard->standing[
                         most - c->guard->input->domains->domain].demand.need
                       : 0;

    if (most && taken.need - need >= 0.05)
        policy_say(together, ", all who are bound there %.1f", taken.need);
    snprintf(text, OPINION_TEXT, "%.60s needs %.1f%s; it needs %.1f itself",
             most ? policy_name_of(most, name) : "nobody there", need,
             together, c->standing->demand.need);
}

static void object_spot(const struct candidate *c, const char *policy,
                        struct spot spot)
{
    const struct topology *t = c->guard->input->topology;
    const struct topology_place *place = topology_at(t, spot);
    unsigned int cores = cores_at(c, spot);
    bool limits = c->domain->rule && c->domain->rule->nodes;
    char text[2 * OPINION_TEXT + RULE_TEXT + 200], need[OPINION_TEXT];

    describe_need(c, spot, need);
    if (cores < c->standing->demand.vcpus)
        policy_say(text, "%s, but of %s %u only %u cores are in its cpupool%s%s, "
                   "and it has %u vCPUs", c->opinion->fact, place->kind,
                   place->id, cores, limits ? " and allowed by the rule " : "",
                   limits ? c->domain->rule->text : "",
                   c->standing->demand.vcpus);
    else
        policy_say(text, "%s, but %s %u has no room: of its %u cores %s",
                   c->opinion->fact, place->kind, place->id, cores, need);
    object(c, policy, text);
}

static uint64_t shun_left(const struct candidate *c)
{
    const struct past *m = c->past;
    uint64_t since = c->guard->input->now_ns - m->shunned_ns;
    uint64_t time = m->shuns ? GUARD_SHUN_NS << (m->shuns - 1) : 0;

    return since < time ? time - since : 0;
}

static bool shuns(const struct candidate *c, unsigned int place)
{
    return (c->past->shunned == place || c->past->shuns_all) && shun_left(c);
}

static void object_shunned(const struct candidate *c, const char *policy)
{
    char text[OPINION_TEXT + 200];

    policy_say(text, "%s, but %s; it is not tried again for %.0f s",
               c->opinion->fact, c->past->shuns_all
               ? "a move before this one did not help"
               : "there it waited for a pCPU more than it gained",
               shun_left(c) / 1e9);
    object(c, policy, text);
}

/* Do several periodic runs in a row want the same, of a reason that does not cease? */
static bool confirmed(const struct candidate *c)
{
    unsigned int confirm = c->guard->settings.confirm;
    struct past *m = c->past;
    bool ceases = c->opinion->rate < m->rate * GUARD_GOES_ON;

    if (c->guard->input->requested)
        return m->wanted == c->opinion->place && m->agreed == confirm;
    if (m->wanted != c->opinion->place || (ceases && m->agreed < confirm)) {
        m->wanted = c->opinion->place;
        m->agreed = 0;
    }
    m->rate = c->opinion->rate;
    if (m->agreed < confirm)
        m->agreed++;

    return m->agreed == confirm;
}

/* Which cache of the place. */

static const struct standing *standing_of(const struct candidate *c,
                                          const struct domain *d)
{
    return &c->guard->standing[d - c->guard->input->domains->domain];
}

/* UNKNOWN: it has none, or none in the place of the opinion. */
static unsigned int cache_of(const struct candidate *c, const struct domain *d)
{
    const struct standing *s = standing_of(c, d);

    return s->place == c->opinion->place ? s->cache : TOPOLOGY_UNKNOWN;
}

/* The one with most to spare where it can be; UNKNOWN: there is none. */
static unsigned int emptiest_cache(const struct candidate *c)
{
    const struct topology *t = c->guard->input->topology;
    struct spot spot = { c->opinion->place, 0 };
    unsigned int best = TOPOLOGY_UNKNOWN;
    double most = 0;

    for (; spot.cache < t->nr_caches; spot.cache++) {
        double spare = cores_at(c, spot) - taken_at(c, spot).need;

        if (t->caches[spot.cache].within == spot.place && can_go(c, spot) &&
            (best == TOPOLOGY_UNKNOWN || spare > most)) {
            best = spot.cache;
            most = spare;
        }
    }

    return best;
}

/*
 * That of whom it is to be beside.  If that one is full, another one, which is
 * nearer than another place - if there is another place.  Two who have none
 * yet, but are to be together, begin with an empty one.
 */
static void choose_cache(const struct candidate *c, struct spot *spot)
{
    const struct topology *t = c->guard->input->topology;
    const struct opinion *o = c->opinion;

    if (o->cache)
        spot->cache = o->cache - t->caches;
    else
        spot->cache = topology_only_cache(t, o->place);
    if (spot->cache != TOPOLOGY_UNKNOWN || !o->beside)
        return;
    spot->cache = cache_of(c, o->beside);
    if (spot->cache == TOPOLOGY_UNKNOWN) {
        if (standing_of(c, o->beside)->open)
            spot->cache = emptiest_cache(c);
    } else if (!can_go(c, *spot) && t->nr_places > 1) {
        spot->cache = emptiest_cache(c);
    }
}

/* To prefer all pCPUs is to prefer none. */
static bool is_everywhere(const struct candidate *c, struct spot spot)
{
    return spot.cache == TOPOLOGY_UNKNOWN &&
           c->guard->input->topology->nr_places < 2;
}

static void object_caches(const struct candidate *c, const char *policy)
{
    const struct domain *beside = c->opinion->beside;
    char text[OPINION_TEXT + 200];

    if (beside && !standing_of(c, beside)->open)
        policy_say(text, "%s, but that one is bound to no LLC, and all pCPUs "
                   "of this host are in one place", c->opinion->fact);
    else
        policy_say(text, "%s, but no LLC has room for both", c->opinion->fact);
    object(c, policy, text);
}

/* "; of these pCPUs 4-7 (LLC 1), the cache of Domain-0" */
static void describe_cache(const struct candidate *c, struct spot spot,
                           char text[OPINION_TEXT])
{
    const struct opinion *o = c->opinion;
    const struct topology *t = c->guard->input->topology;
    const struct topology_place *cache = topology_at(t, spot);
    char name[DOMAIN_NAME_TEXT], cpus[CPUMAP_TEXT];

    text[0] = '\0';
    if (spot.cache == TOPOLOGY_UNKNOWN || !o->beside || spot.cache ==
        topology_only_cache(t, spot.place))
        return;
    cpumap_format(&cache->cpus, cpus, sizeof(cpus));
    snprintf(text, OPINION_TEXT, "; of these pCPUs %.60s (LLC %u), %s of "
             "%.60s", cpus, cache->id,
             cache_of(c, o->beside) == spot.cache ? "the cache"
                                                  : "not in the cache",
             policy_name_of(o->beside, name));
}

static enum affinity_lever lever_allowed(const struct candidate *c)
{
    return c->domain->soft_only || c->domain->pool_soft
           ? LEVER_SOFT : c->guard->settings.lever;
}

/*
 * ns/s that it would wait there if it might not go elsewhere: for as much as it wants
 * to run, if others keep all cores busy, each by chance.
 */
static double price_of_order(const struct candidate *c, struct spot ours)
{
    const struct policy_input *input = c->guard->input;
    const struct cpumap *cpus = &c->domain->ours;
    const double *all = guard_busy(c->guard);
    unsigned int cpu, cores = cores_at(c, ours);
    double busy = 0;

    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu))
            busy += all[cpu] - matrix_service_on(input->matrix, c->domain->acct,
                                                 cpu, input->now_ns);
    if (!cores)
        return 0;

    return 1e9 * c->standing->demand.need *
           pow(busy < 0 ? 0 : busy < cores ? busy / cores : 1, cores);
}

/* It is where it was moved: by which affinity is it to be kept there? */
static void pull(const struct candidate *c, struct spot ours, bool reason)
{
    bool placed = ours.place != TOPOLOGY_UNKNOWN;
    double worth = c->opinion ? c->opinion->worth : 0;
    const struct lever_input input = {
        .allowed = lever_allowed(c),
        .hard = c->domain->ours_hard,
        .reason = reason,
        .room = placed && can_be(c, ours, ROOM_TO_STAY),
        .room_to_go = placed && can_go(c, ours),
        .worth = worth,
        /* A price is of use only beside another one. */
        .order = placed && worth > 0 ? price_of_order(c, ours) : 0,
        .outcome = &c->past->outcome,
        .stay_ns = c->guard->settings.stay_ns,
        .now_ns = c->guard->input->now_ns,
    };

    c->decision->pull = lever_decide(&c->past->lever, &input,
                                     c->decision->pull_why);
}

/* ", and it runs there already, 98 % of its time": nothing is to be done. */
static bool is_there(const struct candidate *c,
                     const struct topology_place *place)
{
    const struct policy_input *input = c->guard->input;
    double share;

    if (!asks_for(c->domain, place))
        return false;
    share = whereabouts_share(input, c->domain - input->domains->domain,
                              &place->cpus);
    if (share >= 0 && share < OUTCOME_THERE)
        return false;
    guard_forget_wish(c->past);
    if (share < 0)
        decide(c->decision, LEAVE, "%s, and it prefers %s %u already; where it "
               "runs is not known", c->opinion->fact, place->kind, place->id);
    else
        decide(c->decision, LEAVE, "%s, and it prefers %s %u already and runs "
               "there %.0f %% of its time", c->opinion->fact, place->kind,
               place->id, 100 * share);

    return true;
}

/* "; it prefers node 0 already, but runs there only 2 % of its time" */
static void describe_ignored(const struct candidate *c,
                             const struct topology_place *place,
                             char text[OPINION_TEXT])
{
    const struct policy_input *input = c->guard->input;

    text[0] = '\0';
    if (asks_for(c->domain, place))
        snprintf(text, OPINION_TEXT, "; it prefers %s %u already, but runs "
                 "there only %.0f %% of its time", place->kind, place->id,
                 100 * whereabouts_share(input, c->domain -
                                         input->domains->domain,
                                         &place->cpus));
}

/* It can be there, and should. */
static void move(const struct candidate *c, struct spot spot)
{
    const struct opinion *o = c->opinion;
    const struct topology *t = c->guard->input->topology;
    const struct topology_place *place = topology_at(t, spot);
    char cache[OPINION_TEXT], ignored[OPINION_TEXT];

    if (is_there(c, place))
        return;
    if (!confirmed(c)) {
        decide(c->decision, c->past->moved ? KEEP : LEAVE,
               "%s; wait for a confirmation (%u of %u)", o->fact,
               c->past->agreed, c->guard->settings.confirm);
        return;
    }
    describe_cache(c, spot, cache);
    describe_ignored(c, place, ignored);
    decide(c->decision, MOVE, "%s, %s%s%s", o->fact, o->where, cache, ignored);
    usable_cpus(c->domain, place, &c->decision->soft);
    c->decision->hard = lever_begins_hard(lever_allowed(c));
    c->past->predicted = o->predicts ? o->crossings : -1;
}

/* Where a domain which was moved is; else UNKNOWN. */
static struct spot ours_at(const struct candidate *c)
{
    const struct spot nowhere = { TOPOLOGY_UNKNOWN, TOPOLOGY_UNKNOWN };

    return c->past->moved ? guard_sent_to(c->guard->input->topology, c->domain)
                          : nowhere;
}

static bool keep(const struct candidate *c, const char *policy,
                 struct spot ours)
{
    const struct spot place = { ours.place, TOPOLOGY_UNKNOWN };
    bool room_there = can_be(c, place, ROOM_TO_STAY);

    if (!room_there || !can_be(c, ours, ROOM_TO_STAY)) {
        object_spot(c, policy, room_there ? ours : place);
        return false;
    }
    c->past->reason_ns = c->guard->input->now_ns;
    guard_forget_wish(c->past);
    decide(c->decision, KEEP, "%s, %s", c->opinion->fact, c->opinion->where);
    pull(c, ours, true);

    return true;
}

/* Somewhere else than it is.  Returns what it takes. */
static struct spot go(const struct candidate *c, struct spot spot)
{
    uint64_t stayed = c->guard->input->now_ns - c->past->moved_ns;
    uint64_t stay = c->guard->settings.stay_ns;

    if (c->past->moved && stayed < stay) {
        decide(c->decision, KEEP, "it was moved %.1f s ago and stays for "
               "%.0f s at least", stayed / 1e9, stay / 1e9);
        return ours_at(c);
    }
    if (c->past->moved && c->guard->input->real &&
        outcome_is_open(&c->past->outcome)) {
        decide(c->decision, KEEP, "it was moved %.1f s ago, and it is looked "
               "what comes of that", stayed / 1e9);
        return ours_at(c);
    }
    move(c, spot);

    return spot;
}

/* The next place. */

static double apart(const struct candidate *c, unsigned int a, unsigned int b)
{
    const struct policy_input *input = c->guard->input;

    return apart_line_ns(input->topology, input->distances, a, b);
}

static double farthest_from(const struct candidate *c, unsigned int place)
{
    unsigned int i, nr = c->guard->input->topology->nr_places;
    double most = 0, ns;

    for (i = 0; i < nr; i++) {
        ns = apart(c, place, i);
        most = ns > most ? ns : most;
    }

    return most;
}

/* So far from @place it is now; who is spread is as far as can be. */
static double away_from(const struct candidate *c, unsigned int place)
{
    const struct policy_input *input = c->guard->input;
    unsigned int at = c->past->moved ? ours_at(c).place
                    : whereabouts_find(input, c->domain -
                                       input->domains->domain).place;

    return at == TOPOLOGY_UNKNOWN ? farthest_from(c, place)
                                  : apart(c, place, at);
}

/* The nearest to @place that has room and is nearer than where it is; UNKNOWN: none. */
static unsigned int next_nearest(const struct candidate *c, unsigned int place)
{
    unsigned int i, best = TOPOLOGY_UNKNOWN;
    unsigned int nr = c->guard->input->topology->nr_places;
    double least = away_from(c, place);

    for (i = 0; i < nr; i++) {
        const struct spot spot = { i, TOPOLOGY_UNKNOWN };

        if (i == place || apart(c, place, i) >= least || !can_go(c, spot))
            continue;
        least = apart(c, place, i);
        best = i;
    }

    return best;
}

/* "but node 0 has no room; of those that have, node 1 is the nearest to it" */
static void describe_next(const struct candidate *c, unsigned int place,
                          struct opinion *next)
{
    const struct topology *t = c->guard->input->topology;

    next->cache = NULL;
    next->beside = NULL;
    next->predicts = false;
    policy_say(next->where, "but %s %u has no room; of those that have, %s %u "
               "is the nearest to it", t->places[next->place].kind,
               t->places[next->place].id, t->places[place].kind,
               t->places[place].id);
    next->place = place;
}

/*
 * There is no room beside whom it is to be: the next place is better than to be far
 * away.  False: there is none, or it is not about being beside somebody.
 */
static bool go_next(const struct candidate *c, const char *policy,
                    struct spot *spot)
{
    const struct spot ours = ours_at(c);
    struct opinion next = *c->opinion;
    struct candidate there = *c;
    unsigned int place;

    if (!next.beside)
        return false;
    there.opinion = &next;
    place = next_nearest(c, next.place);
    if (place != TOPOLOGY_UNKNOWN && !shuns(c, place)) {
        describe_next(c, place, &next);
        *spot = go(&there, (struct spot){ place, TOPOLOGY_UNKNOWN });
        return true;
    }
    if (ours.place == TOPOLOGY_UNKNOWN ||
        apart(c, next.place, ours.place) >= farthest_from(c, next.place))
        return false;
    describe_next(c, ours.place, &next);
    *spot = ours;

    return keep(&there, policy, ours);
}

/* Is it where it was moved, and where this opinion wants it? */
static bool is_ours(const struct candidate *c, struct spot ours)
{
    const struct topology *t = c->guard->input->topology;
    const struct opinion *o = c->opinion;

    return o->want != WANT_NOTHING && ours.place != TOPOLOGY_UNKNOWN &&
           o->place == ours.place &&
           (!o->cache || o->cache == topology_at(t, ours));
}

/* Does this opinion decide?  Then it takes *@spot. */
static bool consider(const struct candidate *c, const char *policy,
                     struct spot *spot)
{
    const struct opinion *o = c->opinion;

    *spot = ours_at(c);
    if (is_ours(c, *spot))
        return keep(c, policy, *spot);
    if (o->want != WANT_GO) {
        object(c, policy, o->lacks);
        return false;
    }
    *spot = (struct spot){ o->place, TOPOLOGY_UNKNOWN };
    if (can_go(c, *spot))
        choose_cache(c, spot);
    if (!can_go(c, *spot)) {
        const struct spot full = *spot;

        if (go_next(c, policy, spot))
            return true;
        object_spot(c, policy, full);
        return false;
    }
    if (shuns(c, spot->place)) {
        object_shunned(c, policy);
        return false;
    }
    if (is_everywhere(c, *spot)) {
        object_caches(c, policy);
        return false;
    }
    *spot = go(c, *spot);

    return true;
}

static struct candidate candidate_of(struct guard *g, unsigned int i)
{
    return (struct candidate){
        .guard = g,
        .domain = &g->input->domains->domain[i],
        .past = &g->domains[i],
        .standing = &g->standing[i],
        .decision = &g->plan->decisions[i],
    };
}

static void take_one(struct guard *g, const char *policy,
                     const struct opinion *opinion, unsigned int i)
{
    struct candidate c = candidate_of(g, i);
    struct spot spot;

    c.opinion = opinion;
    if (opinion->partner && !c.decision->partner) {
        c.decision->partner = opinion->partner;
        c.decision->rate = opinion->rate;
        c.decision->share = opinion->share;
    }
    if (!consider(&c, policy, &spot))
        return;
    c.decision->policy = policy;
    c.decision->partner = opinion->partner;
    c.decision->rate = opinion->rate;
    c.decision->share = opinion->share;
    guard_send(g, i, spot);
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
static void without_reason(struct guard *g, unsigned int i)
{
    const struct candidate c = candidate_of(g, i);
    uint64_t idle = g->input->now_ns - c.past->reason_ns;

    if (idle >= g->settings.quiet_ns) {
        decide(c.decision, GIVE_BACK, "for %.0f s there was no reason for it "
               "to be there", idle / 1e9);
        return;
    }
    decide(c.decision, KEEP, "it was moved, and had a reason to be there "
           "%.1f s ago", idle / 1e9);
    pull(&c, ours_at(&c), false);
}

#define GOES_ALONG "it goes with %.60s, whose device model it is"

/* Where its guest is by now: what is only planned for that may not happen. */
static void go_along(struct guard *g, unsigned int i)
{
    struct candidate c = candidate_of(g, i);
    const unsigned int with = g->standing[i].goes_with - 1;
    const struct domain *guest = &g->input->domains->domain[with];
    bool sent = g->domains[with].moved &&
                g->plan->decisions[with].verb != GIVE_BACK;
    char text[DOMAIN_NAME_TEXT];
    const char *name = policy_name_of(guest, text);

    if (!sent && c.past->moved) {
        decide(c.decision, GIVE_BACK, GOES_ALONG, name);
    } else if (!sent) {
        decide(c.decision, LEAVE, GOES_ALONG, name);
    } else if (c.past->moved && cpumap_equal(&c.domain->ours, &guest->ours)) {
        decide(c.decision, KEEP, GOES_ALONG, name);
        c.past->reason_ns = g->input->now_ns;
        pull(&c, ours_at(&c), true);
    } else {
        decide(c.decision, MOVE, GOES_ALONG, name);
        cpumap_init_copy(&c.decision->soft, &guest->ours);
        c.decision->hard = lever_begins_hard(lever_allowed(&c));
        c.past->predicted = -1;
    }
    c.decision->follows = true;
}

/* One that would stay where it is stays there, and so does its guest: see join(). */
static bool goes_along(const struct guard *g, unsigned int i)
{
    return g->standing[i].goes_with && !g->plan->decisions[i].reason[0];
}

void guard_end(struct guard *g)
{
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++)
        if (goes_along(g, i))
            go_along(g, i);

    for (i = 0; i < g->plan->nr; i++) {
        if (!g->standing[i].open)
            continue;
        guard_forget_wish(&g->domains[i]);
        if (!g->plan->decisions[i].reason[0])
            decide(&g->plan->decisions[i], LEAVE, "no policy is on");
        if (g->domains[i].moved)
            without_reason(g, i);
    }
}

/* What was done of it. */

static void follow_done(const struct policy_input *input,
                        const struct domain *d,
                        const struct decision *decision, struct past *m)
{
    if (decision->verb == GIVE_BACK && m->undo)
        m->shunned_ns = input->now_ns;
    guard_follow(m, d, input->now_ns);
    if (decision->verb == MOVE && input->real)
        outcome_send(&m->outcome, input, d, &decision->soft, m->predicted);
    if (decision->verb != KEEP)
        return;
    lever_pulled(&m->lever, decision->pull, input->now_ns);
    outcome_again(&m->outcome, input->now_ns);
}

void guard_done(struct guard *g, struct policy_input *input,
                const struct plan *plan)
{
    unsigned int i;

    guard_tell(g, input);
    for (i = 0; i < plan->nr; i++)
        if (plan->decisions[i].done)
            follow_done(input, &input->domains->domain[i],
                        &plan->decisions[i], &g->domains[i]);
}

/* Who is not there yet. */

/*
 * Who was put there by whoever made it, and of whom nobody has decided, makes
 * room for those who are moved, but not for one more.
 */
static struct demand undecided_at(const struct guard *g, unsigned int cpupool,
                                  unsigned int place)
{
    struct demand sum = { 0 };
    unsigned int i;

    for (i = 0; i < g->nr; i++)
        if (g->standing[i].open && g->standing[i].place == place &&
            g->standing[i].cpupool == cpupool)
            demand_add(&sum, g->standing[i].demand);

    return sum;
}

static void admit(const struct candidate *c, struct spot spot)
{
    if (!can_go(c, spot)) {
        object_spot(c, "", spot);
        return;
    }
    decide(c->decision, MOVE, "%s, %s", c->opinion->fact, c->opinion->where);
    usable_cpus(c->domain, topology_at(c->guard->input->topology, spot),
                &c->decision->soft);
}

bool guard_admits(struct guard *g, const struct policy_input *input,
                  const struct arrival *arrival,
                  const struct opinion *opinion, struct decision *decision)
{
    const struct spot spot = { opinion->place, TOPOLOGY_UNKNOWN };
    struct standing standing = { .demand = arrival->demand };
    struct candidate c = {
        .guard = g,
        .domain = arrival->domain,
        .opinion = opinion,
        .standing = &standing,
        .decision = decision,
    };
    struct demand *there, taken;

    if (opinion->want != WANT_GO) {
        object(&c, "", opinion->lacks);
        return false;
    }
    g->input = input;
    standing.cores = guard_pool(g, arrival->domain)->cores;
    standing.cpupool = guard_cpupool(g, arrival->domain->pool);
    there = guard_taken(g, &standing, spot);
    taken = *there;
    demand_add(there, undecided_at(g, standing.cpupool, spot.place));
    demand_add(there, arrival->promised[spot.place]);
    admit(&c, spot);
    *there = taken;

    return decision->verb == MOVE;
}
