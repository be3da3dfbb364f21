/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the pairs of a placement's units, and what each pair costs. */
#include <math.h>

#include "base/alloc.h"
#include "model/matrix/cells.h"
#include "model/residency/presence.h"
#include "model/residency/servers.h"
#include "place-distance.h"
#include "place-links.h"

/* A pair's rates apart are known if this part of its notifications is between places. */
#define MOSTLY_APART 0.5

static bool has_price(const struct place_host *h, const struct talk_pair *pair)
{
    return policies_has_partner(h->policies, place_domain(h, pair->a)->driver ||
                                             place_domain(h, pair->b)->driver);
}

/* Each of both domains may have a rule. */
static double weight_of_pair(const struct place_host *h, const struct talk_pair *pair)
{
    return has_price(h, pair) * rule_weight(place_domain(h, pair->a)->rule, RULE_TALK) *
           rule_weight(place_domain(h, pair->b)->rule, RULE_TALK);
}

static enum back_end_kind link_kind(const struct place_host *h,
                                    const struct talk_pair *pair)
{
    if (place_domain(h, pair->a)->driver == place_domain(h, pair->b)->driver)
        return NR_BACK_END_KINDS;
    if (pair->pages <= 0)
        return BACK_END_EVENTS;

    return pair->copied > pair->pages / 2 ? BACK_END_COPIES : BACK_END_MAPS;
}

/* The number of lines whose distance costs the price that moves have shown. */
static double link_lines(const struct place_host *h, enum back_end_kind kind,
                         double notifications, double pages)
{
    const struct policy_input *input = h->input;
    const struct prices *prices = &h->placement.prices;
    double extra = learned_extra(input->learned, kind);
    double line = place_notification_ns(input->topology, input->distances) /
                  prices->notification;

    if (extra < 0 || line <= 0)
        return notifications * prices->notification + pages * prices->page;

    return (kind == BACK_END_EVENTS ? notifications : pages) * extra / line;
}

/*
 * Returns the wake-ups of domain @i for each notification that it receives, or -1 if unknown.
 * The domain sends as many as it receives, so half of the exchanged ones count.
 */
static double wakes_per_notification(const struct place_host *h, unsigned int i)
{
    double received = h->notifications[i] / 2;

    if (!place_domain(h, i)->wakes.known || received <= 0)
        return -1;

    return fmin(place_domain(h, i)->wakes.wakes / received, 1);
}

static const double *ran_of(const struct place_host *h, unsigned int i)
{
    return &h->ran[i * h->input->topology->nr_places];
}

/*
 * Returns the additional wake-ups/s of a pair of @notifications/s if both are together, from
 * the counts while both are mostly apart.  A learned price contains them already.
 */
static double more_wakes(const struct place_host *h, const struct talk_pair *pair,
                         enum back_end_kind kind, double notifications)
{
    const struct policy_input *input = h->input;
    double a = wakes_per_notification(h, pair->a), b = wakes_per_notification(h, pair->b);
    double near = h->placement.prices.woken, now = (a + b) / 2, together, crossing;

    if (!has_price(h, pair) || a < 0 || b < 0 || now >= near || notifications <= 0 ||
        learned_extra(input->learned, kind) >= 0)
        return 0;
    together = presence_together(input->matrix, input->topology, place_domain(h, pair->a),
                                 place_domain(h, pair->b), ran_of(h, pair->a), ran_of(h, pair->b),
                                 input->now_ns);
    crossing = 1 - together;
    if (together < 0 || crossing < MOSTLY_APART)
        return 0;

    /* The rest is together already, so a smaller part of the pair is apart. */
    return notifications * fmin((near - now) / crossing, near);
}

/* Adds no link within a unit. */
static void add_link(const struct place_host *h, struct links *links,
                     const struct talk_pair *pair, unsigned int a,
                     unsigned int b, double part)
{
    double notifications = part * (pair->rate - pair->pages);
    double pages = part * pair->pages;
    enum back_end_kind kind = link_kind(h, pair);

    if (a == b)
        return;
    links->link = need_more_memory(links->link, links->nr + 1,
                                   sizeof(*links->link));
    links->link[links->nr++] = (struct link){
        a, b, notifications, pages,
        weight_of_pair(h, pair) * link_lines(h, kind, notifications, pages),
        kind, more_wakes(h, pair, kind, notifications),
    };
}

/* Links @front to the vCPUs of @back that serve it.  Returns false if these are unknown. */
static bool link_servers(const struct place_host *h, struct links *links,
                         const struct talk_pair *pair, unsigned int front,
                         unsigned int back)
{
    const struct domain *d = place_domain(h, back);
    unsigned int i;

    if (!servers_known(d, place_domain(h, front)->domid))
        return false;
    for (i = 0; i < d->nr_vcpus; i++) {
        double part = servers_part(d, place_domain(h, front)->domid, i);

        if (part > 0)
            add_link(h, links, pair, h->unit[front], h->server[back] + i,
                     part);
    }

    return true;
}

/* Includes pairs without a price, because their crossings are predicted and counted. */
struct links links_find(const struct place_host *h, const struct talk_pair *pairs, unsigned int nr)
{
    struct links links = { 0 };
    unsigned int i;

    for (i = 0; i < nr; i++)
        if (!link_servers(h, &links, &pairs[i], pairs[i].a, pairs[i].b) &&
            !link_servers(h, &links, &pairs[i], pairs[i].b, pairs[i].a))
            add_link(h, &links, &pairs[i], h->unit[pairs[i].a],
                     h->unit[pairs[i].b], 1);

    return links;
}

static void join_link(struct link *sum, const struct link *link)
{
    sum->notifications += link->notifications;
    sum->pages += link->pages;
    sum->lines += link->lines;
    sum->more_wakes += link->more_wakes;
}

struct links links_join(const struct links *links)
{
    struct links joined = { 0, need_memory(links->nr, sizeof(*joined.link)) };
    struct cells by_units; /* (a, b): number + 1 */
    unsigned int i;

    cells_init(&by_units);
    for (i = 0; i < links->nr; i++) {
        struct link link = links->link[i];
        struct cell *cell;

        if (link.a > link.b) {
            link.a = links->link[i].b;
            link.b = links->link[i].a;
        }
        cell = cells_get(&by_units, (uint64_t)link.a << 32 | link.b);
        if (cell->sum) {
            join_link(&joined.link[(unsigned int)cell->sum - 1], &link);
            continue;
        }
        joined.link[joined.nr++] = link;
        cell->sum = joined.nr;
    }
    cells_free(&by_units);

    return joined;
}

static void add_partner(struct placement *p, const struct link *link,
                        unsigned int unit, unsigned int partner)
{
    struct unit *u = &p->units[unit];

    p->partners[u->first + u->nr++] = (struct partner){
        .unit = partner,
        .notifications = link->notifications,
        .pages = link->pages,
        .lines = link->lines,
        .kind = link->kind,
        .more_wakes = link->more_wakes,
    };
}

void links_add_partners(struct placement *p, const struct links *links)
{
    unsigned int i, at = 0;

    for (i = 0; i < links->nr; i++) {
        p->units[links->link[i].a].nr++;
        p->units[links->link[i].b].nr++;
    }
    for (i = 0; i < p->nr_units; i++) {
        p->units[i].first = at;
        at += p->units[i].nr;
        p->units[i].nr = 0;
    }
    for (i = 0; i < links->nr; i++) {
        const struct link *link = &links->link[i];

        add_partner(p, link, link->a, link->b);
        add_partner(p, link, link->b, link->a);
    }
}
