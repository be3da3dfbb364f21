/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests that talk to each other form a gang, and run best in
 * one place: an application and its database, a pipeline of small guests.
 *
 * How gangs are found is in gangs.h.
 *
 * The domains of a group are one guest here, which goes as a whole: one of them
 * stands in for all.
 *
 * Each gang, those which have a place and the busiest first, gets the place
 * with room for it where its partners are; it prefers the place
 * where it is, so that gangs which are alike don't swap places.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gangs.h"
#include "base/alloc.h"
#include "policy.h"
#include "talk.h"

/* Of a domain's pairs, so many on average are looked at, the busiest. */
#define PAIRS_PER_DOMAIN 8

/* A pair counts from this part of the rate on which a guest needs. */
#define PAIR_FRACTION 0.1

/* What is together, or there, counts so many times as much as what isn't. */
#define STAYING_COUNTS 2

#define NOBODY (~0U)

struct working_set {
    const struct policy_settings *settings;
    const struct policy_input *input;
    unsigned int nr, nr_places;
    unsigned int nr_pairs;
    struct talk_pair *pairs;
    unsigned int *stand_in; /* [domain]: of its group; see talk.h */
    double *total;      /* [domain]: what it talks */
    double *with;       /* [domain * nr_places + place]: talk with the fixed */
    double *near;       /* [domain]: talk with those that are where it is */
    double *inside;     /* [domain]: talk with its gang */
    bool *joins;        /* [domain]: goes where its gang goes */
    unsigned int *peer; /* [domain]: the one of its gang it talks to most */
    struct gangs gangs;
    struct demand *taken;  /* [cpupool][place] */
    unsigned int *goes; /* [gang]: its place; TOPOLOGY_UNKNOWN: none has room */
};

static const struct domain *domain(const struct working_set *w, unsigned int i)
{
    return &w->input->domains->domain[i];
}

static bool is_open(const struct working_set *w, unsigned int i)
{
    return w->input->standing[i].open;
}

/* What is known. */

/* What it uses, or when nothing is measured what it could use. */
static void find_needs(struct working_set *w)
{
    double sum = 0;
    unsigned int i;

    for (i = 0; i < w->nr; i++) {
        w->gangs.demand[i] = w->input->standing[i].demand;
        sum += w->gangs.demand[i].need;
    }
    for (i = 0; sum == 0 && i < w->nr; i++)
        w->gangs.demand[i].need = w->gangs.demand[i].vcpus;
    for (i = 0; i < w->nr; i++)
        if (is_open(w, i) && w->stand_in[i] != i) {
            demand_add(&w->gangs.demand[w->stand_in[i]], w->gangs.demand[i]);
            w->gangs.demand[i] = (struct demand){ 0 };
        }
}

static void add_fixed(struct working_set *w, unsigned int i, unsigned int other,
                      double rate)
{
    unsigned int place = w->input->standing[other].place;

    if (is_open(w, i) && !is_open(w, other) && place != TOPOLOGY_UNKNOWN)
        w->with[i * w->nr_places + place] += rate;
}

/* Are both in one place? */
static bool are_together(const struct working_set *w,
                         const struct talk_pair *pair)
{
    unsigned int place = w->input->standing[pair->a].place;

    return place != TOPOLOGY_UNKNOWN &&
           place == w->input->standing[pair->b].place;
}

static void look_at_pairs(struct working_set *w)
{
    unsigned int i;

    for (i = 0; i < w->nr_pairs; i++) {
        const struct talk_pair *pair = &w->pairs[i];

        add_fixed(w, pair->a, pair->b, pair->rate);
        add_fixed(w, pair->b, pair->a, pair->rate);
        if (are_together(w, pair)) {
            w->near[pair->a] += pair->rate;
            w->near[pair->b] += pair->rate;
        }
        if (!is_open(w, pair->a) || !is_open(w, pair->b) ||
            domain(w, pair->a)->pool != domain(w, pair->b)->pool)
            continue;
        gangs_add_edge(&w->gangs, pair->a, pair->b, pair->rate *
                       (are_together(w, pair) ? STAYING_COUNTS : 1));
    }
}

static bool are_of_a_gang(const struct working_set *w, unsigned int a,
                          unsigned int b)
{
    return is_open(w, a) && is_open(w, b) && w->gangs.of[a] == w->gangs.of[b];
}

static void look_inside(struct working_set *w)
{
    double *most = need_memory(w->nr, sizeof(*most));
    unsigned int i;

    for (i = 0; i < w->nr_pairs; i++) {
        unsigned int a = w->pairs[i].a, b = w->pairs[i].b;
        double rate = w->pairs[i].rate;

        if (!are_of_a_gang(w, a, b))
            continue;
        w->inside[a] += rate;
        w->inside[b] += rate;
        if (rate > most[a])
            most[a] = rate, w->peer[a] = b;
        if (rate > most[b])
            most[b] = rate, w->peer[b] = a;
    }
    free(most);
}

/* Places. */

static double score(const struct working_set *w, unsigned int gang,
                    unsigned int place)
{
    double sum = 0;
    unsigned int i;

    for (i = 0; i < w->nr; i++) {
        bool there = w->input->standing[i].place == place;
        double with = w->with[i * w->nr_places + place];

        if (is_open(w, i) && w->gangs.of[i] == gang)
            sum += there ? STAYING_COUNTS * (with + w->inside[i]) : with;
    }

    return sum;
}

/* Was one of the gang moved to @place, or if that is UNKNOWN, at all? */
static bool was_moved(const struct working_set *w, unsigned int gang,
                      unsigned int place)
{
    unsigned int i;

    for (i = 0; i < w->nr; i++)
        if (is_open(w, i) && w->gangs.of[i] == gang &&
            domain(w, i)->affinity == AFFINITY_OURS &&
            (place == TOPOLOGY_UNKNOWN ||
             w->input->standing[i].place == place))
            return true;

    return false;
}

/* All of a gang are in one cpupool. */
static struct demand *taken_at(const struct working_set *w, unsigned int gang,
                               unsigned int place)
{
    return &w->taken[w->input->standing[gang].cpupool * w->nr_places + place];
}

static bool has_room(const struct working_set *w, unsigned int gang,
                     unsigned int place)
{
    return room_for(*taken_at(w, gang, place), w->gangs.demand[gang],
                    w->input->standing[gang].cores[place],
                    was_moved(w, gang, place) ? ROOM_TO_STAY : ROOM_TO_GO);
}

static unsigned int best_place(const struct working_set *w, unsigned int gang)
{
    unsigned int place, best = TOPOLOGY_UNKNOWN;
    double most = 0;

    for (place = 0; place < w->nr_places; place++) {
        double scored;

        if (!has_room(w, gang, place))
            continue;
        scored = score(w, gang, place);
        if (best == TOPOLOGY_UNKNOWN || scored > most ||
            (scored == most &&
             taken_at(w, gang, place)->need < taken_at(w, gang, best)->need)) {
            best = place;
            most = scored;
        }
    }

    return best;
}

struct gang_order {
    unsigned int gang;
    bool moved;
    double rate;
};

static int by_order(const void *x, const void *y)
{
    const struct gang_order *p = x, *q = y;

    if (p->moved != q->moved)
        return p->moved ? -1 : 1;
    if (p->rate != q->rate)
        return p->rate > q->rate ? -1 : 1;

    return p->gang < q->gang ? -1 : p->gang > q->gang;
}

/* Those which were moved before come first, then the busiest. */
static void place_gangs(struct working_set *w)
{
    struct gang_order *order = need_memory(w->nr, sizeof(*order));
    unsigned int i, place, nr = 0;

    for (i = 0; i < w->nr; i++) {
        w->goes[i] = TOPOLOGY_UNKNOWN;
        if (is_open(w, i))
            order[w->gangs.of[i]].rate += w->total[i];
    }
    for (i = 0; i < w->nr; i++)
        if (is_open(w, i) && w->gangs.of[i] == i)
            order[nr++] = (struct gang_order){
                i, was_moved(w, i, TOPOLOGY_UNKNOWN), order[i].rate
            };
    qsort(order, nr, sizeof(*order), by_order);
    for (i = 0; i < nr && order[i].rate > 0; i++) {
        place = best_place(w, order[i].gang);
        w->goes[order[i].gang] = place;
        if (place != TOPOLOGY_UNKNOWN)
            demand_add(taken_at(w, order[i].gang, place),
                       w->gangs.demand[order[i].gang]);
    }
    free(order);
}

/* Guests that go with their gang. */

/* Talk with those of its gang that go where it goes, or are there. */
static void look_who_goes(struct working_set *w)
{
    unsigned int i;

    memset(w->inside, 0, w->nr * sizeof(*w->inside));
    for (i = 0; i < w->nr_pairs; i++) {
        unsigned int a = w->pairs[i].a, b = w->pairs[i].b, place;
        double rate = w->pairs[i].rate;

        if (!are_of_a_gang(w, a, b))
            continue;
        place = w->goes[w->gangs.of[a]];
        if (w->joins[b] || w->input->standing[b].place == place)
            w->inside[a] += rate;
        if (w->joins[a] || w->input->standing[a].place == place)
            w->inside[b] += rate;
    }
}

/* What it talks with guests that are at @place or go there. */
static double talk_at(const struct working_set *w, unsigned int i,
                      unsigned int place)
{
    double inside = w->goes[w->gangs.of[i]] == place ? w->inside[i] : 0;

    return inside + w->with[i * w->nr_places + place];
}

/* Could it be there, and has it enough to do with those that will be? */
static bool goes_along(const struct working_set *w, unsigned int i,
                       unsigned int place)
{
    bool there = domain(w, i)->affinity == AFFINITY_OURS &&
                 w->input->standing[i].place == place;
    double fraction = there ? POLICY_STAY_FRACTION : 1;
    double rate = talk_at(w, i, place);

    return w->input->standing[i].cores[place] >=
           domain_online_vcpus(domain(w, i)) &&
           rate >= fraction * w->settings->min_rate &&
           rate >= fraction * w->settings->share * w->total[i];
}

/* A guest that stays behind takes a reason to go from its partners. */
static void find_joiners(struct working_set *w)
{
    unsigned int i, place;
    bool changed = true;

    for (i = 0; i < w->nr; i++)
        w->joins[i] = is_open(w, i) &&
                      w->goes[w->gangs.of[i]] != TOPOLOGY_UNKNOWN;
    while (changed) {
        changed = false;
        look_who_goes(w);
        for (i = 0; i < w->nr; i++) {
            place = w->goes[w->gangs.of[i]];
            if (!w->joins[i] || goes_along(w, i, place))
                continue;
            w->joins[i] = false;
            changed = true;
        }
    }
}

/* Opinions. */

static unsigned int size_of(const struct working_set *w, unsigned int gang)
{
    unsigned int i, size = 0;

    for (i = 0; i < w->nr; i++)
        size += is_open(w, i) && w->gangs.of[i] == gang;

    return size;
}

static double need_of_gang(const struct working_set *w, unsigned int i)
{
    return w->gangs.demand[w->gangs.of[i]].need;
}

/* The guest at @place that is not open and that it talks to most. */
static const struct domain *busiest_at(const struct working_set *w,
                                       unsigned int i, unsigned int place)
{
    unsigned int k;

    /* The busiest pairs come first. */
    for (k = 0; k < w->nr_pairs; k++) {
        const struct talk_pair *pair = &w->pairs[k];
        unsigned int other = pair->a == i ? pair->b : pair->a;

        if ((pair->a == i || pair->b == i) && !is_open(w, other) &&
            w->input->standing[other].place == place)
            return domain(w, other);
    }

    return NULL;
}

/* "90 % of its 1200 interactions/s are with 2 others, most with db" */
static void describe(const struct working_set *w, unsigned int i,
                     unsigned int place, struct opinion *o)
{
    const struct topology_place *p = &w->input->topology->places[place];
    unsigned int others = size_of(w, w->gangs.of[i]) - 1;
    char name[DOMAIN_NAME_TEXT], whose[DOMAIN_NAME_TEXT];
    char cpus[CPUMAP_TEXT], whom[120];

    cpumap_format(&p->cpus, cpus, sizeof(cpus));
    if (w->peer[i] == NOBODY) {
        policy_say(whom, "domains on %s %u", p->kind, p->id);
        o->beside = busiest_at(w, i, place);
    } else {
        o->partner = o->beside = domain(w, w->peer[i]);
        policy_say(whom, others > 1 ? "a gang of which it talks most to %s"
                                    : "%s",
                   policy_partner_name(o->partner, name));
    }
    policy_say(o->fact, "%.0f %% of %s %.0f interactions/s are with %s",
               100 * o->share, policy_whose(domain(w, i), whose), w->total[i],
               whom);
    policy_say(o->where, "and there is room for %s, which %s %.1f cores, on "
               "pCPUs %.60s (%s %u)", others ? "all of them" : "it",
               others ? "need" : "needs", need_of_gang(w, i), cpus, p->kind,
               p->id);
}

static bool is_enough(const struct working_set *w, const struct opinion *o,
                      double fraction)
{
    return o->rate >= fraction * w->settings->min_rate && o->rate > 0 &&
           o->share >= fraction * w->settings->share;
}

static void describe_lack(const struct working_set *w, unsigned int i,
                          struct opinion *o)
{
    char whose[DOMAIN_NAME_TEXT];

    if (w->total[i] < w->settings->min_rate)
        policy_say(o->lacks, "it talks little: %.0f interactions/s, %.0f are "
                   "needed", w->total[i], w->settings->min_rate);
    else if (w->goes[w->gangs.of[i]] == TOPOLOGY_UNKNOWN)
        policy_say(o->lacks, "it and those it talks to need %.1f cores, and "
                   "no %s has so many free", need_of_gang(w, i),
                   w->input->topology->places[0].kind);
    else
        policy_say(o->lacks, "%.0f %% of %s %.0f interactions/s are with "
                   "guests of one gang; %.0f %% and %.0f/s are needed",
                   100 * o->share, policy_whose(domain(w, i), whose),
                   w->total[i], 100 * w->settings->share,
                   w->settings->min_rate);
}

/*
 * A guest that was moved has enough of its talk where it is, whichever gang
 * it would be put into now, and would not have far more elsewhere.
 */
static bool stays(const struct working_set *w, unsigned int i,
                  const struct opinion *elsewhere, struct opinion *o)
{
    unsigned int place = w->input->standing[i].place;
    const struct topology_place *p = &w->input->topology->places[place];
    char whose[DOMAIN_NAME_TEXT];

    if (domain(w, i)->affinity != AFFINITY_OURS || place == TOPOLOGY_UNKNOWN ||
        (elsewhere->want == WANT_GO &&
         (elsewhere->place == place ||
          elsewhere->rate > STAYING_COUNTS * w->near[i])))
        return false;
    o->place = place;
    o->rate = w->near[i];
    o->share = w->total[i] > 0 ? o->rate / w->total[i] : 0;
    if (!is_enough(w, o, POLICY_STAY_FRACTION))
        return false;
    o->want = WANT_STAY;
    policy_say(o->fact, "%.0f %% of %s %.0f interactions/s are with domains "
               "on %s %u", 100 * o->share, policy_whose(domain(w, i), whose),
               w->total[i], p->kind, p->id);
    policy_say(o->where, "where it was moved");

    return true;
}

static void think(const struct working_set *w, unsigned int i,
                  struct opinion *o)
{
    unsigned int place = w->goes[w->gangs.of[i]];
    struct opinion staying = { 0 };

    if (place != TOPOLOGY_UNKNOWN) {
        o->place = place;
        o->rate = talk_at(w, i, place);
        o->share = w->total[i] > 0 ? o->rate / w->total[i] : 0;
        describe(w, i, place, o);
        if (is_enough(w, o, 1))
            o->want = WANT_GO;
        else if (is_enough(w, o, POLICY_STAY_FRACTION))
            o->want = WANT_STAY;
    }
    if (stays(w, i, o, &staying))
        *o = staying;
    describe_lack(w, i, o);
}

/* The most cores that a place has for it. */
static unsigned int capacity(const struct working_set *w, unsigned int i)
{
    const unsigned int *cores = w->input->standing[i].cores;
    unsigned int place, most = 0;

    for (place = 0; place < w->nr_places; place++)
        if (cores[place] > most)
            most = cores[place];

    return most;
}

static void prepare(struct working_set *w)
{
    unsigned int i, most = w->nr * PAIRS_PER_DOMAIN;

    w->stand_in = talk_stand_ins(w->input);
    w->total = need_memory(w->nr, sizeof(*w->total));
    w->pairs = talk_pairs(w->input, w->settings->min_rate * PAIR_FRACTION,
                          &w->nr_pairs, w->total);
    if (w->nr_pairs > most)
        w->nr_pairs = most;
    gangs_init(&w->gangs, w->nr, w->nr_pairs);
    w->with = need_memory(w->nr * w->nr_places, sizeof(*w->with));
    w->near = need_memory(w->nr, sizeof(*w->near));
    w->inside = need_memory(w->nr, sizeof(*w->inside));
    w->peer = need_memory(w->nr, sizeof(*w->peer));
    w->joins = need_memory(w->nr, sizeof(*w->joins));
    w->goes = need_memory(w->nr, sizeof(*w->goes));
    w->taken = need_memory((size_t)w->input->nr_cpupools * w->nr_places,
                           sizeof(*w->taken));
    memcpy(w->taken, w->input->taken, (size_t)w->input->nr_cpupools *
           w->nr_places * sizeof(*w->taken));
    for (i = 0; i < w->nr; i++) {
        if (is_open(w, i))
            w->gangs.of[i] = w->stand_in[i];
        w->gangs.capacity[i] = capacity(w, i);
        w->peer[i] = NOBODY;
    }
}

static void clear(struct working_set *w)
{
    free(w->stand_in);
    free(w->total);
    free(w->pairs);
    gangs_free(&w->gangs);
    free(w->with);
    free(w->near);
    free(w->inside);
    free(w->peer);
    free(w->joins);
    free(w->goes);
    free(w->taken);
}

static void run(void *memory, const struct policy_input *input,
                struct opinion *opinions)
{
    struct working_set w = {
        .settings = memory,
        .input = input,
        .nr = input->domains->nr,
        .nr_places = input->topology->nr_places,
    };
    unsigned int i;

    prepare(&w);
    find_needs(&w);
    look_at_pairs(&w);
    gangs_find(&w.gangs);
    look_inside(&w);
    place_gangs(&w);
    find_joiners(&w);
    for (i = 0; i < w.nr; i++)
        if (is_open(&w, i) && w.stand_in[i] == i)
            think(&w, i, &opinions[i]);
    for (i = 0; i < w.nr; i++)
        if (is_open(&w, i))
            opinions[i] = opinions[w.stand_in[i]];
    clear(&w);
}

static void *create(const struct policy_settings *settings)
{
    struct policy_settings *copy = need_memory(1, sizeof(*copy));

    *copy = *settings;

    return copy;
}

const struct policy policy_working_set = {
    .name = "working-set",
    .create = create,
    .run = run,
    .destroy = free,
};
