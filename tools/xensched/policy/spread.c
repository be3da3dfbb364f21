/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the guest that leaves an overloaded place. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spread.h"
#include "talk.h"
#include "whereabouts.h"

void spread_free(struct spread *s)
{
    free(s->moved);
    memset(s, 0, sizeof(*s));
}

/* @with: [domain * places + place]: what its group talks with those there. */
static void find_talk(const struct spread_run *run, double *with)
{
    unsigned int places = run->spread->nr_places, i, nr;
    double *total = need_memory(run->input->domains->nr, sizeof(*total));
    struct talk_pair *pairs = talk_pairs(run->input, 0, &nr, total);

    for (i = 0; i < nr; i++) {
        unsigned int a = pairs[i].a, b = pairs[i].b;

        if (run->at[b] != TOPOLOGY_UNKNOWN)
            with[a * places + run->at[b]] += pairs[i].rate;
        if (run->at[a] != TOPOLOGY_UNKNOWN)
            with[b * places + run->at[a]] += pairs[i].rate;
    }
    free(pairs);
    free(total);
}

static void find_near(const struct spread_run *run)
{
    unsigned int places = run->spread->nr_places, i;
    unsigned int nr = run->input->domains->nr;
    double *with = need_memory((size_t)nr * places, sizeof(*with));
    unsigned int *stand_in = talk_stand_ins(run->input);

    find_talk(run, with);
    for (i = 0; i < nr; i++)
        if (run->at[i] != TOPOLOGY_UNKNOWN)
            run->near[i] = with[stand_in[i] * places + run->at[i]];
    free(with);
    free(stand_in);
}

/* Guests that were moved. */

static const struct domain *domain(const struct spread_run *run,
                                   unsigned int i)
{
    return &run->input->domains->domain[i];
}

const struct spread_moved *spread_how(const struct spread_run *run,
                                      unsigned int i)
{
    const struct spread *s = run->spread;
    const struct domain *d = domain(run, i);
    unsigned int k;

    for (k = 0; k < s->nr; k++)
        if (s->moved[k].domid == d->domid &&
            s->moved[k].since_ns == d->since_ns)
            return &s->moved[k];

    return NULL;
}

static unsigned int number_of(const struct spread_run *run,
                              const struct spread_moved *m)
{
    const struct domain *d = domains_find(run->input->domains, m->domid);

    return d && d->since_ns == m->since_ns
           ? d - run->input->domains->domain : SPREAD_NOBODY;
}

static bool went(const struct spread_run *run, const struct spread_moved *m)
{
    unsigned int i = number_of(run, m);

    return i != SPREAD_NOBODY && domain(run, i)->affinity == AFFINITY_OURS &&
           m->to == (run->caches ? run->input->standing[i].cache
                                 : run->input->standing[i].place);
}

/* Has the chosen one gone?  And which are no longer where they went? */
static void follow(const struct spread_run *run)
{
    struct spread *s = run->spread;
    unsigned int i, kept = 0;

    for (i = 0; i < s->nr; i++)
        if (went(run, &s->moved[i]))
            s->moved[kept++] = s->moved[i];
    s->nr = kept;
    if (!s->has_chosen || !went(run, &s->chosen))
        return;
    s->moved = need_more_memory(s->moved, s->nr + 1, sizeof(*s->moved));
    s->moved[s->nr++] = s->chosen;
    s->has_chosen = false;
    s->moved_ns = run->input->now_ns;
}

/* Where it runs, or is on its way to. */
static unsigned int at(const struct spread_run *run, unsigned int i)
{
    const struct standing *s = &run->input->standing[i];

    if (domain(run, i)->affinity == AFFINITY_OURS && !s->absent)
        return run->caches ? s->cache : s->place;

    return (run->caches ? whereabouts_find_cache : whereabouts_find)
           (run->input, i).place;
}

void spread_begin(struct spread_run *run, struct spread *spread,
                  const struct policy_input *input, bool caches,
                  double min_rate)
{
    const struct topology *t = input->topology;
    unsigned int i, nr = caches ? t->nr_caches : t->nr_places;

    *run = (struct spread_run){
        .spread = spread, .input = input, .caches = caches,
        .min_rate = min_rate,
        .at = need_memory(input->domains->nr, sizeof(*run->at)),
        .near = need_memory(input->domains->nr, sizeof(*run->near)),
    };
    /* pCPUs may have come or gone, and places with them. */
    if (spread->nr_places != nr)
        spread_free(spread);
    spread->nr_places = nr;
    for (i = 0; i < input->domains->nr; i++)
        run->at[i] = at(run, i);
    find_near(run);
    follow(run);
}

void spread_end(struct spread_run *run)
{
    free(run->at);
    free(run->near);
}

/* Which guest is to go, and to where. */

static bool fits(const struct spread_run *run,
                 const struct spread_rules *rules, const void *policy,
                 unsigned int i, unsigned int place)
{
    const struct standing *s = &run->input->standing[i];
    unsigned int cores = run->caches ? s->cache_cores[place]
                                     : s->cores[place];

    return place != run->at[i] &&
           cores >= domain_online_vcpus(domain(run, i)) &&
           rules->fits(policy, i, place);
}

/* Two caches of one place: a guest's memory stays as near as it was. */
static bool is_near(const struct spread_run *run, unsigned int a,
                    unsigned int b)
{
    const struct topology_place *caches = run->input->topology->caches;

    return run->caches && caches[a].within == caches[b].within;
}

/* The place with most to spare; TOPOLOGY_UNKNOWN: there is none for it. */
static unsigned int place_for(const struct spread_run *run,
                              const struct spread_rules *rules,
                              const void *policy, unsigned int i)
{
    unsigned int place, best = TOPOLOGY_UNKNOWN;
    double most = 0;

    for (place = 0; place < run->spread->nr_places; place++) {
        double spare = rules->spare(policy, i, place);

        if (fits(run, rules, policy, i, place) &&
            (best == TOPOLOGY_UNKNOWN || spare > most ||
             (spare == most && is_near(run, place, run->at[i]) &&
              !is_near(run, best, run->at[i])))) {
            best = place;
            most = spare;
        }
    }

    return best;
}

static bool may_go(const struct spread_run *run,
                   const struct spread_rules *rules, const void *policy,
                   unsigned int i)
{
    return run->input->standing[i].open && run->at[i] != TOPOLOGY_UNKNOWN &&
           run->near[i] < run->min_rate * POLICY_STAY_FRACTION &&
           !spread_how(run, i) &&
           rules->may_go(policy, i);
}

/* Is it better to send @i than @than? */
static bool has_less_to_lose(const struct spread_run *run,
                             const struct spread_rules *rules,
                             const void *policy, unsigned int i,
                             unsigned int than)
{
    if (than == SPREAD_NOBODY)
        return true;
    if (run->near[i] != run->near[than])
        return run->near[i] < run->near[than];

    return rules->weight(policy, i) > rules->weight(policy, than);
}

static unsigned int best_one(const struct spread_run *run,
                             const struct spread_rules *rules,
                             const void *policy)
{
    unsigned int i, best = SPREAD_NOBODY;

    for (i = 0; i < run->input->domains->nr; i++)
        if (may_go(run, rules, policy, i) &&
            place_for(run, rules, policy, i) != TOPOLOGY_UNKNOWN &&
            has_less_to_lose(run, rules, policy, i, best))
            best = i;

    return best;
}

/* The same as in the run before, if it still can, so that it is confirmed. */
static bool is_still(const struct spread_run *run,
                     const struct spread_rules *rules, const void *policy)
{
    const struct spread *s = run->spread;
    unsigned int i;

    if (!s->has_chosen)
        return false;
    i = number_of(run, &s->chosen);

    return i != SPREAD_NOBODY && may_go(run, rules, policy, i) &&
           run->at[i] == s->chosen.from &&
           fits(run, rules, policy, i, s->chosen.to);
}

unsigned int spread_choose(const struct spread_run *run,
                           const struct spread_rules *rules,
                           const void *policy, unsigned int *to)
{
    struct spread *s = run->spread;
    unsigned int i = SPREAD_NOBODY;

    if (is_still(run, rules, policy)) {
        *to = s->chosen.to;
        return number_of(run, &s->chosen);
    }
    if (!s->moved_ns || run->input->now_ns - s->moved_ns >= SPREAD_PAUSE_NS)
        i = best_one(run, rules, policy);
    if (i != SPREAD_NOBODY)
        *to = place_for(run, rules, policy, i);
    /* A plan that a request causes ends no row of plans that agree. */
    if (run->input->requested)
        return i;
    s->has_chosen = i != SPREAD_NOBODY;
    if (s->has_chosen)
        s->chosen = (struct spread_moved){
            domain(run, i)->domid, domain(run, i)->since_ns, run->at[i], *to
        };

    return i;
}
