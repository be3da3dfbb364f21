/* SPDX-License-Identifier: GPL-2.0-only */
/* Prices in words; see place.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "place.h"

#define NS_PER_MS 1e6

/* ms/s; less is not worth a word. */
#define WORTH_A_WORD 0.005

struct text {
    char *text;
    size_t size;
};

static __attribute__((format(printf, 2, 3)))
void add(struct text *t, const char *format, ...)
{
    size_t length = strlen(t->text);
    va_list args;

    va_start(args, format);
    vsnprintf(t->text + length, t->size - length, format, args);
    va_end(args);
}

void place_name(const struct place_host *h, unsigned int spot, char *text,
                size_t size)
{
    const struct topology_place *place =
        topology_at(h->input->topology, h->placement.spots[spot]);
    char cpus[CPUMAP_TEXT];

    cpumap_format(&place->cpus, cpus, sizeof(cpus));
    snprintf(text, size, "%s %u (pCPUs %.60s)", place->kind, place->id, cpus);
}

/* The partner with which it changes most.  NULL: it has none. */
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

static void say_talk(const struct place_host *h, unsigned int unit,
                     unsigned int from, unsigned int to, struct text *t)
{
    const struct placement *p = &h->placement;
    const struct partner *partner = main_partner(p, unit, from, to);
    const struct learned *learned = h->input->learned;
    const struct domain *d;
    char name[DOMAIN_NAME_TEXT];
    double now, then;

    if (!partner)
        return;
    d = &h->input->domains->domain[h->stands[partner->unit]];
    now = 100 * placement_apart(p, unit, from, partner->unit);
    then = 100 * placement_apart(p, unit, to, partner->unit);
    add(t, "%.0f notifications/s", partner->notifications);
    if (partner->pages >= 0.5)
        add(t, " and %.0f pages/s", partner->pages);
    add(t, " with ");
    if (h->vcpu[partner->unit] != ALL_VCPUS)
        add(t, "vCPU %u of ", h->vcpu[partner->unit]);
    add(t, "%.40s", policy_partner_name(d, name));
    if (fabs(now - then) >= 0.5)
        add(t, " cross %ss by %.0f %% now, by %.0f %% then",
            h->input->topology->places[0].kind, now, then);
    if (p->units[unit].nr > 1)
        add(t, ", and %u more", p->units[unit].nr - 1);
    if (learned_extra(learned, partner->kind) >= 0)
        add(t, ", price learned from %u moves", learned->of[partner->kind].extra.n);
}

static void say_memory(const struct place_host *h, unsigned int unit,
                       unsigned int from, unsigned int to, struct text *t)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    unsigned int i, most = 0;
    const double *pages = &p->pages[unit * p->nr_places];

    (void)from;
    (void)to;
    for (i = 0; i < p->nr_places; i++)
        if (pages[i] > pages[most])
            most = i;
    add(t, "%.0f %% of its memory is on %s %u, %.2f million misses/s%s",
        100 * pages[most], h->input->topology->places[most].kind,
        h->input->topology->places[most].id, u->misses / 1e6,
        u->misses_counted ? "" : ", assumed");
}

/* The place with which it changes most. */
static void say_waiting(const struct place_host *h, unsigned int unit,
                        unsigned int from, unsigned int to, struct text *t)
{
    const struct placement *p = &h->placement;
    const unsigned int first = placement_in_pool(p, &p->units[unit], 0);
    const double *load = &p->load[first], *cores = &p->place_cores[first];
    unsigned int i, at = p->units[unit].at, most = 0;
    double over = -1;

    for (i = 0; i < p->nr_places; i++) {
        double part = placement_part_of_place(p, unit, from, i) +
                      placement_part_of_place(p, unit, to, i);

        if (part > 0 && cores[i] > 0 && load[i] / cores[i] > over) {
            over = load[i] / cores[i];
            most = i;
        }
    }
    add(t, "%.1f runnable vCPUs%s on %.0f cores of %s %u", load[most] +
        p->units[unit].demand.need *
        (placement_part_of_place(p, unit, from, most) -
         placement_part_of_place(p, unit, at, most)),
        p->units[unit].demand.need > 0 ? " with it" : "",
        cores[most], h->input->topology->places[most].kind,
        h->input->topology->places[most].id);
}

static void say_cache(const struct place_host *h, unsigned int unit,
                      unsigned int from, unsigned int to, struct text *t)
{
    const struct placement *p = &h->placement;

    (void)from;
    (void)to;
    add(t, "%.1f million cache misses/s, beside others",
        p->units[unit].misses / 1e6);
}

static void say_moving(const struct place_host *h, unsigned int unit,
                       unsigned int from, unsigned int to, struct text *t)
{
    (void)unit;
    (void)from;
    (void)to;
    add(t, "to fill caches, within %.0f s", h->placement.horizon);
}

static void say_wakes(const struct place_host *h, unsigned int unit,
                      unsigned int from, unsigned int to, struct text *t)
{
    const struct placement *p = &h->placement;
    const struct unit *u = &p->units[unit];
    double more = 0;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++)
        more += p->partners[i].more_wakes *
                (placement_apart(p, unit, from, p->partners[i].unit) -
                 placement_apart(p, unit, to, p->partners[i].unit));
    add(t, "%.0f wake-ups/s %s", fabs(more), more < 0 ? "fewer" : "more");
}

static void say_migrations(const struct place_host *h, unsigned int unit,
                           unsigned int from, unsigned int to, struct text *t)
{
    (void)from;
    (void)to;
    add(t, "beside others its vCPUs move between pCPUs, now %.0f/s",
        h->placement.units[unit].migrations);
}

static void (*const says[NR_TERMS])(const struct place_host *h,
                                    unsigned int unit, unsigned int from,
                                    unsigned int to, struct text *t) = {
    [TERM_TALK] = say_talk,
    [TERM_MEMORY] = say_memory,
    [TERM_WAITING] = say_waiting,
    [TERM_CACHE] = say_cache,
    [TERM_MOVING] = say_moving,
    [TERM_WAKES] = say_wakes,
    [TERM_MIGRATIONS] = say_migrations,
};

void place_account(const struct place_host *h, unsigned int unit,
                   unsigned int spot, char *text, size_t size)
{
    unsigned int from = h->placement.units[unit].origin, sign, i;
    struct text t = { text, size };

    text[0] = '\0';
    for (sign = 0; sign < 2; sign++)
        for (i = 0; i < NR_TERMS; i++) {
            double saved = (h->before[unit * NR_TERMS + i] -
                            term_price(&h->placement, i, unit, spot)) /
                           NS_PER_MS * (sign ? -1 : 1);

            if (saved < WORTH_A_WORD)
                continue;
            add(&t, "%s%s %.2f ms/s (", text[0] ? ", " : "",
                sign ? "costs" : "saves", saved);
            says[i](h, unit, from, spot, &t);
            add(&t, ")");
        }
    if (!text[0])
        add(&t, "saves nothing");
}
