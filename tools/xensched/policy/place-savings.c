/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes what each term saves or costs by a move, and the numbers behind that. */
#include <math.h>

#include "place.h"

/* Returns the partner whose price changes most.  NULL: it has none. */
static const struct partner *main_partner(const struct placement *p,
                                          unsigned int unit,
                                          unsigned int from, unsigned int to)
{
    const struct unit *u = &p->units[unit];
    const struct partner *best = NULL;
    double most = -1;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++) {
        const struct partner *partner = &p->partners[i];
        double change = fabs(placement_line(p, unit, from, partner->unit) -
                             placement_line(p, unit, to, partner->unit)) *
                        partner->lines;

        if (change > most) {
            most = change;
            best = partner;
        }
    }

    return best;
}

static void save_by_talk(const struct place_host *h, unsigned int unit,
                         unsigned int from, unsigned int to, struct savings *s)
{
    const struct placement *p = &h->placement;
    const struct partner *partner = main_partner(p, unit, from, to);
    const struct learned *learned = h->input->learned;

    if (!partner)
        return;
    s->with = place_domain(h, h->stands[partner->unit]);
    s->with_vcpu = h->vcpu[partner->unit];
    s->more = p->units[unit].nr - 1;
    if (learned_extra(learned, partner->kind) >= 0)
        s->learned = learned->of[partner->kind].extra.n;
    s->notifications = partner->notifications;
    s->pages = partner->pages;
    s->apart = placement_apart(p, unit, from, partner->unit);
    s->apart_then = placement_apart(p, unit, to, partner->unit);
}

static void save_by_memory(const struct place_host *h, unsigned int unit, struct savings *s)
{
    const struct placement *p = &h->placement;
    const double *pages = &p->pages[unit * p->nr_places];
    unsigned int i;

    for (i = 0; i < p->nr_places; i++)
        if (pages[i] > pages[s->memory_place])
            s->memory_place = i;
    s->memory_share = pages[s->memory_place];
    s->misses = p->units[unit].misses;
    s->misses_counted = p->units[unit].misses_counted;
}

static void save_by_waiting(const struct place_host *h, unsigned int unit,
                            unsigned int from, unsigned int to, struct savings *s)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    const unsigned int first = placement_in_pool(p, u, 0);
    const struct crowd *crowd = &p->crowd[first];
    const double *cores = &p->place_cores[first];
    double over = -1;
    unsigned int i, most = 0;

    for (i = 0; i < p->nr_places; i++) {
        double part = placement_part_of_place(p, unit, from, i) +
                      placement_part_of_place(p, unit, to, i);

        if (part > 0 && cores[i] > 0 && crowd[i].runnable / cores[i] > over) {
            over = crowd[i].runnable / cores[i];
            most = i;
        }
    }
    s->busy_place = most;
    s->cores = cores[most];
    s->pcpus = p->place_threads[first + most];
    s->needs = u->demand.need > 0;
    s->runnable = crowd[most].runnable +
                  u->demand.need * (placement_part_of_place(p, unit, from, most) -
                                    placement_part_of_place(p, unit, u->at, most));
}

static void save_by_sharing(const struct placement *p, unsigned int unit, unsigned int spot,
                            struct savings *s)
{
    if (spot == ANYWHERE || !p->spots[spot].core)
        return;
    s->need = p->units[unit].demand.need;
    s->server_need = p->units[p->server[spot]].demand.need;
}

static double count_wakes(const struct place_host *h, unsigned int unit,
                          unsigned int from, unsigned int to)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    double more = 0;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++)
        more += p->partners[i].more_wakes *
                (placement_apart(p, unit, from, p->partners[i].unit) -
                 placement_apart(p, unit, to, p->partners[i].unit));

    return more;
}

void place_savings(const struct place_host *h, unsigned int unit, unsigned int spot,
                   struct savings *s)
{
    const struct placement *p = &h->placement;
    const unsigned int from = p->units[unit].origin;
    unsigned int i;

    for (i = 0; i < NR_TERMS; i++) {
        s->saved_ns[i] = h->before[unit * NR_TERMS + i] - term_price(p, i, unit, spot);
        s->gain_ns += s->saved_ns[i];
    }
    s->spot = p->spots[spot];
    s->least_ns = p->units[unit].threshold;
    s->counted = p->queueing;
    s->horizon_s = p->horizon;
    s->more_wakes = count_wakes(h, unit, from, spot);
    s->migrations = p->units[unit].migrations;
    save_by_talk(h, unit, from, spot, s);
    save_by_memory(h, unit, s);
    save_by_waiting(h, unit, from, spot, s);
    save_by_sharing(p, unit, p->spots[spot].core ? spot : from, s);
}
