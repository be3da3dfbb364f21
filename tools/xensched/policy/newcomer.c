/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses a place for a guest that does not exist yet, so that xl can allocate its memory there:
 * near the domains with which the guest communicated most when it last ran, by the price of being
 * apart.  If that is unknown or impossible, the place is near the domains that will serve its
 * disks.
 *
 * These are opinions.  The guard decides whether cores, room, cpupool and rules allow them.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "guard.h"
#include "place-distance.h"
#include "placement/prices.h"
#include "location.h"

/* By the history. */

static double lines_of(const struct acquaintance *a)
{
    return a->notifications * prices_default.notification +
           a->pages * prices_default.page;
}

/* ns/s, for each place: the cost to communicate with the domains whose place is known. */
static double *price_places(const struct policy_input *input,
                            const struct newcomer *n)
{
    unsigned int nr = input->topology->nr_places, i, place;
    double *price = need_memory(nr, sizeof(*price));

    for (i = 0; i < n->nr_known; i++) {
        struct location w = location_find(input, n->known[i].domain);

        for (place = 0; place < nr && location_attracts(&w); place++)
            price[place] += lines_of(&n->known[i]) *
                            place_line_ns(input->topology, input->distances,
                                          w.place, place);
    }

    return price;
}

/* Returns the cheapest place; *@gain: the mean of the other places costs this much more. */
static unsigned int find_cheapest(const double *price, unsigned int nr,
                                  double *gain)
{
    unsigned int i, best = 0;
    double sum = 0;

    for (i = 0; i < nr; i++) {
        sum += price[i];
        if (price[i] < price[best])
            best = i;
    }
    *gain = nr > 1 ? (sum - price[best]) / (nr - 1) - price[best] : 0;

    return best;
}

static bool is_at(const struct policy_input *input, unsigned int domain,
                  unsigned int place)
{
    struct location w = location_find(input, domain);

    return w.place == place && location_attracts(&w);
}

/* Returns its main partner among the domains at @place, or else among all. */
static const struct acquaintance *main_one(const struct policy_input *input,
                                           const struct newcomer *n,
                                           unsigned int place)
{
    const struct acquaintance *most = NULL;
    unsigned int i;

    for (i = 0; i < n->nr_known; i++)
        if ((place == TOPOLOGY_UNKNOWN ||
             is_at(input, n->known[i].domain, place)) &&
            (!most || lines_of(&n->known[i]) > lines_of(most)))
            most = &n->known[i];

    return most;
}

static void find_lack(const struct policy_input *input, const struct newcomer *n,
                      struct opinion *o)
{
    const struct acquaintance *most = main_one(input, n, TOPOLOGY_UNKNOWN);

    o->lack = n->ran ? GROUNDS_ALL_GONE : GROUNDS_NEVER_RAN;
    if (!most)
        return;
    o->partner = &input->domains->domain[most->domain];
    o->location = location_find(input, most->domain);
    o->lack = location_attracts(&o->location) ? GROUNDS_HISTORY_GAIN
                                                    : GROUNDS_HISTORY_SPREAD;
}

static void by_history(const struct policy_settings *settings,
                       const struct policy_input *input,
                       const struct newcomer *n, struct opinion *o)
{
    struct savings *savings = &o->savings;
    double *price = price_places(input, n);
    unsigned int best = find_cheapest(price, input->topology->nr_places, &savings->gain_ns);
    const struct acquaintance *a = main_one(input, n, best);

    free(price);
    savings->least_ns = settings->least_gain_ns;
    if (!a || savings->gain_ns < savings->least_ns) {
        find_lack(input, n, o);
        return;
    }
    o->fact = GROUNDS_HISTORY;
    o->location = location_find(input, a->domain);
    o->want = WANT_GO;
    o->spot = spot_of_place(best);
    o->partner = &input->domains->domain[a->domain];
    o->rate = a->notifications + a->pages;
    savings->notifications = a->notifications;
    savings->pages = a->pages;
}

/* By the back ends. */

/* Finds why no back end decides. */
static void find_no_back_end(const struct policy_input *input,
                             const struct newcomer *n, struct opinion *o)
{
    unsigned int i;

    o->lack = n->nr_disks ? GROUNDS_BACK_ENDS_EVEN : GROUNDS_NO_DISKS;
    for (i = 0; i < n->nr_disks && o->lack != GROUNDS_BACK_END_SPREAD; i++) {
        o->location = location_find(input, n->disks[i]);
        o->partner = &input->domains->domain[n->disks[i]];
        if (!location_attracts(&o->location))
            o->lack = GROUNDS_BACK_END_SPREAD;
    }
}

/* Returns the place that serves most disks; UNKNOWN: none, or several equal ones. */
static unsigned int place_of_most(const struct policy_input *input,
                                  const struct newcomer *n,
                                  unsigned int *served)
{
    unsigned int nr = input->topology->nr_places, i, best = 0, as_many = 0;
    unsigned int *disks = need_memory(nr, sizeof(*disks));

    for (i = 0; i < n->nr_disks; i++) {
        struct location w = location_find(input, n->disks[i]);

        if (location_attracts(&w))
            disks[w.place]++;
    }
    for (i = 1; i < nr; i++)
        if (disks[i] > disks[best])
            best = i;
    for (i = 0; i < nr; i++)
        as_many += disks[i] == disks[best];
    *served = disks[best];
    free(disks);

    return *served && as_many == 1 ? best : TOPOLOGY_UNKNOWN;
}

static void by_back_ends(const struct policy_settings *settings,
                         const struct policy_input *input,
                         const struct newcomer *n, struct opinion *o)
{
    unsigned int i = 0, by_it, k, best;

    (void)settings;
    best = place_of_most(input, n, &o->count);
    if (best == TOPOLOGY_UNKNOWN) {
        find_no_back_end(input, n, o);
        return;
    }
    while (!is_at(input, n->disks[i], best))
        i++;
    for (k = i, by_it = 0; k < n->nr_disks; k++)
        by_it += n->disks[k] == n->disks[i];
    o->fact = GROUNDS_BACK_ENDS;
    o->of = n->nr_disks;
    o->others = by_it < o->count;
    o->location = location_find(input, n->disks[i]);
    o->want = WANT_GO;
    o->spot = spot_of_place(best);
    o->partner = &input->domains->domain[n->disks[i]];
}

const struct decision *plan_newcomer(struct planner *planner, const struct policy_input *input,
                                     const struct newcomer *newcomer,
                                     struct decision decisions[NEWCOMER_WAYS])
{
    static const struct {
        const char *name;
        void (*think)(const struct policy_settings *settings,
                      const struct policy_input *input,
                      const struct newcomer *n, struct opinion *o);
    } ways[NEWCOMER_WAYS] = {
        { "history", by_history },
        { "back-ends", by_back_ends },
    };
    struct policy_input seen = *input;
    unsigned int i;

    guard_tell(planner, &seen);
    for (i = 0; i < NEWCOMER_WAYS; i++) {
        struct opinion o = { 0 };

        ways[i].think(&planner->settings, &seen, newcomer, &o);
        if (guard_admits(planner, &seen, &newcomer->arrival, &o, &decisions[i])) {
            decisions[i].policy = ways[i].name;
            return &decisions[i];
        }
    }

    return NULL;
}
