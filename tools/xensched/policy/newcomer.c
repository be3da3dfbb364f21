/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the node of a guest before its memory is allocated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "place-distance.h"
#include "newcomer.h"
#include "placement/prices.h"
#include "whereabouts.h"

#define NS_PER_MS 1e6

/* By the history. */

static double lines_of(const struct acquaintance *a)
{
    return a->notifications * prices_default.notification +
           a->pages * prices_default.page;
}

/* What it would cost there, ns/s, to communicate with domains that live somewhere. */
static double *price_places(const struct policy_input *input,
                            const struct newcomer *n)
{
    unsigned int nr = input->topology->nr_places, i, place;
    double *price = need_memory(nr, sizeof(*price));

    for (i = 0; i < n->nr_known; i++) {
        struct whereabouts w = whereabouts_find(input, n->known[i].domain);

        for (place = 0; place < nr && whereabouts_attracts(&w); place++)
            price[place] += lines_of(&n->known[i]) *
                            place_line_ns(input->topology, input->distances,
                                          w.place, place);
    }

    return price;
}

/* The cheapest place; *@gain: what it costs elsewhere, on an average, more. */
static unsigned int cheapest(const double *price, unsigned int nr,
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
    struct whereabouts w = whereabouts_find(input, domain);

    return w.place == place && whereabouts_attracts(&w);
}

/* The domain with which it has most to do, of those that live there; or of all. */
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

static void describe_lack(const struct policy_input *input,
                          const struct newcomer *n, double gain, double least,
                          struct opinion *o)
{
    const struct acquaintance *most = main_one(input, n, TOPOLOGY_UNKNOWN);
    const struct domain *d;
    char name[DOMAIN_NAME_TEXT], why[OPINION_TEXT];
    struct whereabouts w;

    if (!n->ran)
        policy_say(o->lacks, "nothing is known of when it last ran");
    if (n->ran && !most)
        policy_say(o->lacks, "no domain with which it communicated when it "
                   "last ran is there");
    if (!most)
        return;
    d = &input->domains->domain[most->domain];
    w = whereabouts_find(input, most->domain);
    if (whereabouts_attracts(&w)) {
        policy_say(o->lacks, "for the domains with which it communicated when "
                   "it last ran, no %s is better by %.2f ms/s, the least gain, "
                   "but by %.2f", input->topology->places[0].kind, least / NS_PER_MS,
                   gain / NS_PER_MS);
        return;
    }
    whereabouts_describe_spread(&w, policy_name_of(d, name),
                                input->topology->places[0].kind, why,
                                sizeof(why));
    policy_say(o->lacks, "when it last ran it had most to do with %.60s, but "
               "%.400s", policy_name_of(d, name), why);
}

static void by_history(const struct policy_settings *settings,
                       const struct policy_input *input,
                       const struct newcomer *n, struct opinion *o)
{
    double *price = price_places(input, n), gain;
    unsigned int best = cheapest(price, input->topology->nr_places, &gain);
    const struct acquaintance *a = main_one(input, n, best);
    char name[DOMAIN_NAME_TEXT];
    struct whereabouts w;

    free(price);
    if (!a || gain < settings->least_gain_ns) {
        describe_lack(input, n, gain, settings->least_gain_ns, o);
        return;
    }
    w = whereabouts_find(input, a->domain);
    o->want = WANT_GO;
    o->spot = (struct spot){ best, TOPOLOGY_UNKNOWN };
    o->partner = &input->domains->domain[a->domain];
    o->rate = a->notifications + a->pages;
    policy_say(o->fact, "by what it did when it last ran that saves %.2f ms/s: "
               "it had %.0f notifications/s and %.0f pages/s with %.60s",
               gain / NS_PER_MS, a->notifications, a->pages,
               policy_name_of(o->partner, name));
    whereabouts_describe(&w, &input->topology->places[best], o->where,
                         sizeof(o->where));
}

/* By the back ends. */

/* Why no domain is known to be a good neighbour. */
static void describe_no_back_end(const struct policy_input *input,
                                 const struct newcomer *n, struct opinion *o)
{
    const char *kind = input->topology->places[0].kind;
    char name[DOMAIN_NAME_TEXT], why[OPINION_TEXT];
    unsigned int i;

    if (!n->nr_disks)
        policy_say(o->lacks, "it has no disks");
    for (i = 0; i < n->nr_disks && !o->lacks[0]; i++) {
        struct whereabouts w = whereabouts_find(input, n->disks[i]);

        if (whereabouts_attracts(&w))
            continue;
        whereabouts_describe_spread(
            &w, policy_name_of(&input->domains->domain[n->disks[i]], name),
            kind, why, sizeof(why));
        policy_say(o->lacks, "of the domains that serve its disks, %.400s", why);
    }
    if (!o->lacks[0])
        policy_say(o->lacks, "the domains that serve its disks are on different "
                   "%ss, as many on one as on the other", kind);
}

/* The place with most disks; UNKNOWN: there is none, or there are several. */
static unsigned int place_of_most(const struct policy_input *input,
                                  const struct newcomer *n,
                                  unsigned int *served)
{
    unsigned int nr = input->topology->nr_places, i, best = 0, as_many = 0;
    unsigned int *disks = need_memory(nr, sizeof(*disks));

    for (i = 0; i < n->nr_disks; i++) {
        struct whereabouts w = whereabouts_find(input, n->disks[i]);

        if (whereabouts_attracts(&w))
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
    unsigned int served, i = 0, by_it, k, best;
    char name[DOMAIN_NAME_TEXT];
    struct whereabouts w;

    (void)settings;
    best = place_of_most(input, n, &served);
    if (best == TOPOLOGY_UNKNOWN) {
        describe_no_back_end(input, n, o);
        return;
    }
    while (!is_at(input, n->disks[i], best))
        i++;
    for (k = i, by_it = 0; k < n->nr_disks; k++)
        by_it += n->disks[k] == n->disks[i];
    w = whereabouts_find(input, n->disks[i]);
    o->want = WANT_GO;
    o->spot = (struct spot){ best, TOPOLOGY_UNKNOWN };
    o->partner = &input->domains->domain[n->disks[i]];
    policy_say(o->fact, "%u of its %u disk%s served by %.60s%s", served,
               n->nr_disks, n->nr_disks == 1 ? " is" : "s are",
               policy_name_of(o->partner, name),
               by_it < served ? " and others there" : "");
    whereabouts_describe(&w, &input->topology->places[best], o->where,
                         sizeof(o->where));
}

bool newcomer_place(struct guard *guard,
                    const struct policy_settings *settings,
                    const struct policy_input *input,
                    const struct newcomer *newcomer,
                    struct decision *decision)
{
    static const struct {
        const char *name;
        void (*think)(const struct policy_settings *settings,
                      const struct policy_input *input,
                      const struct newcomer *n, struct opinion *o);
    } reasons[] = {
        { "history", by_history },
        { "back-ends", by_back_ends },
    };
    struct policy_input seen = *input;
    bool placed = false;
    unsigned int i;

    guard_tell(guard, &seen);
    for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && !placed; i++) {
        struct opinion *o = need_memory(1, sizeof(*o));

        decision->policy = reasons[i].name;
        reasons[i].think(settings, &seen, newcomer, o);
        placed = guard_admits(guard, &seen, &newcomer->arrival, o, decision);
        if (placed) {
            decision->partner = o->partner;
            decision->rate = o->rate;
        }
        free(o);
    }
    if (!placed)
        decision->policy = NULL;

    return placed;
}
