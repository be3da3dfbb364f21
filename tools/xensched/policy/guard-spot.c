/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the guard where a guest can be: which place, and which cache of it, has room
 * for the guest, and what is against the others.  It decides nothing: see guard.c.
 */
#include <stdio.h>
#include <string.h>

#include "place-distance.h"
#include "guard-spot.h"
#include "whereabouts.h"

/* Room. */

unsigned int spot_cores(const struct candidate *c, struct spot spot)
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
                    spot_cores(c, spot), part);
}

/* vCPUs may have come online since it went there, and cores have gone. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part)
{
    return spot_cores(c, spot) >= c->standing->demand.vcpus &&
           has_room(c, spot, part);
}

bool spot_can_go(const struct candidate *c, struct spot spot)
{
    return spot_can_be(c, spot, ROOM_TO_GO);
}

/* What this policy says against it; what others said stays. */
void guard_object(const struct candidate *c, const char *policy,
                  const char *text)
{
    char *reason = c->decision->reason;
    size_t length = strlen(reason);

    snprintf(reason + length, REASON_TEXT - length, "%s%s%s%s",
             length ? "; " : "", c->guard->several ? policy : "",
             c->guard->several && *policy ? ": " : "", text);
}

/* The guest sent to the spot that needs most; NULL: none needs anything. */
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

/* "Domain-0 needs 1.5, all that are bound there 1.9; it needs 0.8 itself" */
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
        policy_say(together, ", all that are bound there %.1f", taken.need);
    snprintf(text, OPINION_TEXT, "%.60s needs %.1f%s; it needs %.1f itself",
             most ? policy_name_of(most, name) : "no guest there", need,
             together, c->standing->demand.need);
}

void spot_object(const struct candidate *c, const char *policy,
                 struct spot spot)
{
    const struct topology *t = c->guard->input->topology;
    const struct topology_place *place = topology_at(t, spot);
    unsigned int cores = spot_cores(c, spot);
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
    guard_object(c, policy, text);
}

/* Where a domain which was moved is; else UNKNOWN. */
struct spot spot_ours(const struct candidate *c)
{
    const struct spot nowhere = { TOPOLOGY_UNKNOWN, TOPOLOGY_UNKNOWN };

    return c->past->moved ? guard_sent_to(c->guard->input->topology, c->domain)
                          : nowhere;
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
        double spare = spot_cores(c, spot) - taken_at(c, spot).need;

        if (t->caches[spot.cache].within == spot.place && spot_can_go(c, spot) &&
            (best == TOPOLOGY_UNKNOWN || spare > most)) {
            best = spot.cache;
            most = spare;
        }
    }

    return best;
}

/*
 * The cache of the guest beside which it is to be.  If that one is full, another
 * one, which is nearer than another place - if there is another place.  Two guests
 * that have none yet, but are to be together, begin with an empty one.
 */
void spot_choose_cache(const struct candidate *c, struct spot *spot)
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
    } else if (!spot_can_go(c, *spot) && t->nr_places > 1) {
        spot->cache = emptiest_cache(c);
    }
}

/* To prefer all pCPUs is to prefer none. */
bool spot_is_everywhere(const struct candidate *c, struct spot spot)
{
    return spot.cache == TOPOLOGY_UNKNOWN &&
           c->guard->input->topology->nr_places < 2;
}

void spot_object_caches(const struct candidate *c, const char *policy)
{
    const struct domain *beside = c->opinion->beside;
    char text[OPINION_TEXT + 200];

    if (beside && !standing_of(c, beside)->open)
        policy_say(text, "%s, but that one is bound to no LLC, and all pCPUs "
                   "of this host are in one place", c->opinion->fact);
    else
        policy_say(text, "%s, but no LLC has room for both", c->opinion->fact);
    guard_object(c, policy, text);
}

/* "; of these pCPUs 4-7 (LLC 1), the cache of Domain-0" */
void spot_describe_cache(const struct candidate *c, struct spot spot,
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

/* The next place. */

double spot_apart(const struct candidate *c, unsigned int a, unsigned int b)
{
    const struct policy_input *input = c->guard->input;

    return place_line_ns(input->topology, input->distances, a, b);
}

double spot_farthest(const struct candidate *c, unsigned int place)
{
    unsigned int i, nr = c->guard->input->topology->nr_places;
    double most = 0, ns;

    for (i = 0; i < nr; i++) {
        ns = spot_apart(c, place, i);
        most = ns > most ? ns : most;
    }

    return most;
}

/* How far from @place it is now; a guest that is spread is as far as can be. */
static double away_from(const struct candidate *c, unsigned int place)
{
    const struct policy_input *input = c->guard->input;
    unsigned int at = c->past->moved ? spot_ours(c).place
                    : whereabouts_find(input, c->domain -
                                       input->domains->domain).place;

    return at == TOPOLOGY_UNKNOWN ? spot_farthest(c, place)
                                  : spot_apart(c, place, at);
}

/* The nearest to @place that has room and is nearer than where it is; UNKNOWN: none. */
unsigned int spot_next_nearest(const struct candidate *c, unsigned int place)
{
    unsigned int i, best = TOPOLOGY_UNKNOWN;
    unsigned int nr = c->guard->input->topology->nr_places;
    double least = away_from(c, place);

    for (i = 0; i < nr; i++) {
        const struct spot spot = { i, TOPOLOGY_UNKNOWN };

        if (i == place || spot_apart(c, place, i) >= least || !spot_can_go(c, spot))
            continue;
        least = spot_apart(c, place, i);
        best = i;
    }

    return best;
}

/* "but node 0 has no room; of those that have, node 1 is the nearest to it" */
void spot_describe_next(const struct candidate *c, unsigned int place,
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
