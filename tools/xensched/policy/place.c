/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Says where each domain should be: where all of them together cost least, in ns of pCPU
 * time per second.  What is known becomes a placement, its search decides which domain
 * should be where, and what that saves and costs is the reason.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "placement/search.h"
#include "place.h"

#define NS_PER_MS 1e6

/* To stay takes less than to go. */
#define STAYING 0.5

static double before(const struct place_host *h, unsigned int unit)
{
    double sum = 0;
    unsigned int i;

    for (i = 0; i < NR_TERMS; i++)
        sum += h->before[unit * NR_TERMS + i];

    return sum;
}

/* The domain with which it exchanges most that has a price. */
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

static void want(const struct place_host *h, enum want want,
                 unsigned int spot, struct opinion *o)
{
    o->want = want;
    o->spot = h->placement.spots[spot];
}

/* Notifications/s, if all are where they are going to be. */
static double crossings(const struct placement *p, unsigned int unit)
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
static double others(const struct place_host *h, unsigned int unit)
{
    static const enum term_id terms[] = { TERM_MEMORY, TERM_CACHE, TERM_MIGRATIONS };
    double sum = 0;
    unsigned int i;

    for (i = 0; i < sizeof(terms) / sizeof(*terms); i++)
        sum += h->before[unit * NR_TERMS + terms[i]] -
               term_price(&h->placement, terms[i], unit, h->placement.units[unit].at);

    return sum;
}

static void go(const struct place_host *h, unsigned int unit,
               struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    double gain = before(h, unit) - terms_price(p, unit, u->at);
    char to[OPINION_TEXT / 4], account[OPINION_TEXT * 2 / 3];

    want(h, WANT_GO, u->at, o);
    o->gain = gain;
    o->crossings = crossings(p, unit);
    o->others_ns = others(h, unit);
    place_name(h, u->at, to, sizeof(to));
    place_account(h, unit, u->at, account, sizeof(account));
    policy_say(o->fact, "to %s: %s", to, account);
    policy_say(o->where, "%s %.2f ms/s, least gain %.2f ms/s",
               gain > 0 ? "expected gain" : "it makes room, at",
               gain / NS_PER_MS, u->threshold / NS_PER_MS);
}

/* What it is worth that it is kept where it is. */
static double worth(const struct placement *p, unsigned int unit)
{
    const struct unit *u = &p->units[unit];

    return terms_price(p, unit, ANYWHERE) -
           term_price(p, TERM_MOVING, unit, ANYWHERE) -
           terms_price(p, unit, u->at);
}

/* A domain that fits into no place, or into none but its own, stays as it is. */
static void say_too_wide(const struct place_host *h, unsigned int unit,
                         struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    const struct topology *t = h->input->topology;
    const char *kind = t->nr_places > 1 ? t->places[0].kind : t->caches[0].kind;
    unsigned int spot, most = 0;

    for (spot = 0; spot < p->nr_spots; spot++)
        if (p->usable[unit * p->nr_spots + spot] > most)
            most = p->usable[unit * p->nr_spots + spot];
    if (u->width > most)
        policy_say(o->lacks, "it is wider than each %s: it has %u vCPUs, and "
                   "%u cores at most are open to it in one; so it is kept "
                   "nowhere", kind, u->width, most);
    else
        policy_say(o->lacks, "there is no other %s with as many cores as it "
                   "has vCPUs", kind);
}

static void say_alternative(const struct place_host *h, unsigned int unit,
                            struct opinion *o)
{
    const struct placement *p = &h->placement;
    unsigned int spot = search_alternative(p, unit);
    char to[OPINION_TEXT / 4], account[OPINION_TEXT * 2 / 3];
    double gain;

    if (spot == ANYWHERE) {
        say_too_wide(h, unit, o);
        return;
    }
    gain = before(h, unit) - terms_price(p, unit, spot);
    place_name(h, spot, to, sizeof(to));
    place_account(h, unit, spot, account, sizeof(account));
    o->spot = p->spots[spot];
    o->full = gain >= p->units[unit].threshold && !placement_fits(p, unit, spot);
    policy_say(o->fact, "to %s: %.350s, gain %.2f ms/s, least gain %.2f ms/s",
               to, account, gain / NS_PER_MS,
               p->units[unit].threshold / NS_PER_MS);
    policy_say(o->lacks, "%.550s%s", o->fact, o->full ? ", but it has no room" : "");
}

static void stay(const struct place_host *h, unsigned int unit,
                 struct opinion *o)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    double kept = u->origin == ANYWHERE ? 0 : worth(p, unit);

    say_alternative(h, unit, o);
    if (u->origin == ANYWHERE || kept < STAYING * p->least)
        return;
    want(h, WANT_STAY, u->at, o);
    o->worth = kept;
    policy_say(o->fact, "that it is there %s worth %.2f ms/s",
               h->input->standing[h->stands[unit]].absent ? "would be" : "is",
               kept / NS_PER_MS);
    policy_say(o->where, "%s", o->lacks);
}

/* The rest of its group is kept there, as that is worth something: it goes, too. */
static void follow(const struct domain *d, struct opinion *o)
{
    char fact[OPINION_TEXT];

    policy_say(fact, "its group %.60s is there: %.300s", d->group, o->fact);
    policy_say(o->fact, "%s", fact);
    o->want = WANT_GO;
}

void place_opinions(const struct policies *policies, const struct policy_settings *settings,
                    const struct policy_input *input, struct opinion *opinions)
{
    struct place_host h;
    struct opinion *of_unit;
    unsigned int i;

    place_describe(&h, input, policies, settings);
    search_prepare(&h.placement);
    search_run(&h.placement, search_effort(&h.placement));
    of_unit = need_memory(h.placement.nr_units, sizeof(*of_unit));
    for (i = 0; i < h.placement.nr_units; i++) {
        const struct unit *u = &h.placement.units[i];

        if (!u->movable)
            continue;
        find_partner(&h, i, &of_unit[i]);
        if (u->at == u->origin)
            stay(&h, i, &of_unit[i]);
        else
            go(&h, i, &of_unit[i]);
    }
    for (i = 0; i < input->domains->nr; i++) {
        if (!input->standing[i].open)
            continue;
        opinions[i] = of_unit[h.unit[i]];
        if (opinions[i].want == WANT_STAY && place_strays(&h, i))
            follow(&input->domains->domain[i], &opinions[i]);
    }
    free(of_unit);
    place_free(&h);
}
