/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the spot of each domain at which all domains together cost least, in ns of pCPU time
 * per second.  The code describes the host as a placement and searches it; the savings and
 * costs of a move are its reason.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "placement/joint.h"
#include "placement/search.h"
#include "place.h"

/* A stay needs this part of the gain that a move needs. */
#define STAYING 0.5

/* Finds the partner with which the unit has the most interactions that have a price. */
static void find_partner(const struct place_host *h, unsigned int unit,
                         struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    const struct partner *most = NULL;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++)
        if (p->partners[i].lines > (most ? most->lines : 0))
            most = &p->partners[i];
    if (!most)
        return;
    o->partner = &h->input->domains->domain[h->stands[most->unit]];
    o->rate = most->notifications + most->pages;
    o->share = h->talks[unit] > 0 ? o->rate / h->talks[unit] : 0;
}

static void set_want(const struct place_host *h, enum want want,
                     unsigned int spot, struct opinion *o)
{
    o->want = want;
    o->spot = h->placement.spots[spot];
}

/* Notifications/s that cross places after all planned moves. */
static double sum_crossings(const struct placement *p, unsigned int unit)
{
    const struct unit *u = &p->units[unit];
    double sum = 0;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++)
        sum += p->partners[i].notifications *
               placement_apart(p, unit, u->at, p->partners[i].unit);

    return sum;
}

/* Savings that depend neither on its partners nor on the load of its place. */
static double sum_other_savings(const struct place_host *h, unsigned int unit)
{
    static const enum term_id terms[] = { TERM_MEMORY, TERM_CACHE, TERM_MIGRATIONS };
    double sum = 0;
    unsigned int i;

    for (i = 0; i < sizeof(terms) / sizeof(*terms); i++)
        sum += h->before[unit * NR_TERMS + terms[i]] -
               term_price(&h->placement, terms[i], unit, h->placement.units[unit].at);

    return sum;
}

/*
 * Turns the opinion about a group into that about one of its domains.  It predicts no crossings:
 * notifications between the group's domains cross places until the last domain has moved.
 */
static void part_of_group(const struct place_host *h, unsigned int domain, struct opinion *o)
{
    o->members = h->members[h->unit[domain]];
    o->others_ns /= o->members;
    if (o->members > 1)
        o->crossings = -1;
}

/* Returns the ns/s that the unit would cost more without its affinity; 0: too little to stay for. */
static double worth_of_origin(const struct placement *p, unsigned int unit)
{
    const struct unit *u = &p->units[unit];
    double worth = u->origin == ANYWHERE ? 0 :
                   terms_price(p, unit, ANYWHERE) -
                   term_price(p, TERM_MOVING, unit, ANYWHERE) -
                   terms_price(p, unit, u->origin);

    return worth < STAYING * p->least ? 0 : worth;
}

static void describe_move(const struct place_host *h, unsigned int unit,
                          struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];

    set_want(h, WANT_GO, u->at, o);
    o->worth = worth_of_origin(p, unit);
    o->crossings = sum_crossings(p, unit);
    o->others_ns = sum_other_savings(h, unit);
    o->fact = GROUNDS_GAIN;
    place_savings(h, unit, u->at, &o->savings);
    o->gain = o->savings.gain_ns;
}

/* Finds why the unit moves nowhere: it fits into no other place, or gains too little. */
static void find_lack(const struct place_host *h, unsigned int unit, struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    unsigned int spot = search_alternative(p, unit);

    if (spot != ANYWHERE) {
        o->spot = p->spots[spot];
        o->fact = o->lack = GROUNDS_LEAST_GAIN;
        place_savings(h, unit, spot, &o->savings);
        o->full = o->savings.gain_ns >= u->threshold && !placement_fits(p, unit, spot);
        return;
    }
    for (spot = 0; spot < p->nr_spots; spot++)
        if (p->usable[unit * p->nr_spots + spot] > o->of)
            o->of = p->usable[unit * p->nr_spots + spot];
    o->count = u->width;
    o->lack = u->width > o->of ? GROUNDS_TOO_WIDE : GROUNDS_ONE_SPOT;
}

static void describe_stay(const struct place_host *h, unsigned int unit,
                          struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    double worth = worth_of_origin(p, unit);

    find_lack(h, unit, o);
    if (!worth)
        return;
    set_want(h, WANT_STAY, u->at, o);
    o->worth = worth;
    o->fact = GROUNDS_WORTH;
    o->absent = h->input->guarded[h->stands[unit]].absent;
}

/* Fills in the opinions about units. */
static struct opinion *opinions_of_units(const struct place_host *h)
{
    const struct placement *p = &h->placement;
    struct opinion *of_unit = need_memory(p->nr_units, sizeof(*of_unit));
    unsigned int i;

    for (i = 0; i < p->nr_units; i++) {
        if (!p->units[i].movable)
            continue;
        find_partner(h, i, &of_unit[i]);
        if (p->units[i].at == p->units[i].origin)
            describe_stay(h, i, &of_unit[i]);
        else
            describe_move(h, i, &of_unit[i]);
    }

    return of_unit;
}

struct place_host *place_opinions(const struct policies *policies,
                                  const struct policy_settings *settings,
                                  const struct policy_input *input, struct opinion *opinions)
{
    struct place_host *h = need_memory(1, sizeof(*h));
    struct opinion *of_unit;
    unsigned int i;

    place_describe(h, input, policies, settings);
    search_prepare(&h->placement);
    search_run(&h->placement, search_effort(&h->placement, input->since_ns / 1e9));
    of_unit = opinions_of_units(h);
    for (i = 0; i < input->domains->nr; i++) {
        if (!input->guarded[i].open)
            continue;
        opinions[i] = of_unit[h->unit[i]];
        part_of_group(h, i, &opinions[i]);
        /* Its unit is kept there, which saves time: this guest follows it. */
        if (opinions[i].want == WANT_STAY && place_strays(h, i)) {
            opinions[i].follows = true;
            opinions[i].want = WANT_GO;
        }
    }
    free(of_unit);

    return h;
}

/* A guest that follows its unit does not depend on other moves. */
static bool is_planned(const struct place_host *h, unsigned int domain)
{
    const struct unit *u = &h->placement.units[h->unit[domain]];

    return u->at != u->origin;
}

void place_joint(struct place_host *h, bool *moves)
{
    unsigned int nr = h->input->domains->nr, i;
    bool *planned = need_memory(nr, sizeof(*planned));
    bool *goes = need_memory(h->placement.nr_units, sizeof(*goes));

    for (i = 0; i < nr; i++) {
        planned[i] = moves[i] && is_planned(h, i);
        goes[h->unit[i]] |= planned[i];
    }
    joint_moves(&h->placement, goes);
    for (i = 0; i < nr; i++)
        moves[i] &= !planned[i] || goes[h->unit[i]];
    free(planned);
    free(goes);
}

void place_close(struct place_host *h)
{
    place_free(h);
    free(h);
}
