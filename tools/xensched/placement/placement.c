/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the placement's sums by place and cache, which the terms price. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "placement.h"

void placement_init(struct placement *p, unsigned int nr_places,
                    unsigned int nr_caches, unsigned int more,
                    unsigned int nr_units, unsigned int nr_partners)
{
    unsigned int spots = nr_caches + more, i;

    memset(p, 0, sizeof(*p));
    p->prices = prices_default;
    p->nr_places = nr_places;
    p->nr_caches = nr_caches;
    p->nr_spots = spots;
    p->nr_units = nr_units;
    p->nr_partners = nr_partners;
    p->spots = need_memory(spots, sizeof(*p->spots));
    p->cores = need_memory(spots, sizeof(*p->cores));
    p->threads = need_memory(spots, sizeof(*p->threads));
    p->server = need_memory(spots, sizeof(*p->server));
    p->part = need_memory((size_t)spots * nr_caches, sizeof(*p->part));
    p->apart = need_memory((size_t)nr_places * nr_places, sizeof(*p->apart));
    p->remote = need_memory((size_t)nr_places * nr_places,
                            sizeof(*p->remote));
    p->line = need_memory((size_t)spots * spots, sizeof(*p->line));
    p->units = need_memory(nr_units, sizeof(*p->units));
    p->usable = need_memory((size_t)nr_units * spots, sizeof(*p->usable));
    p->shunned = need_memory((size_t)nr_units * spots, sizeof(*p->shunned));
    p->share = need_memory((size_t)nr_units * nr_caches, sizeof(*p->share));
    p->stray = need_memory((size_t)nr_units * nr_caches, sizeof(*p->stray));
    p->pages = need_memory((size_t)nr_units * nr_places, sizeof(*p->pages));
    p->partners = need_memory(nr_partners, sizeof(*p->partners));
    p->reach = need_memory((size_t)nr_units * spots, sizeof(*p->reach));
    p->memory = need_memory((size_t)nr_units * spots, sizeof(*p->memory));
    p->memory_stray = need_memory(nr_units, sizeof(*p->memory_stray));
    p->share_place = need_memory((size_t)nr_units * nr_places,
                                 sizeof(*p->share_place));
    p->missed = need_memory(nr_caches, sizeof(*p->missed));
    p->nr_pools = 1;
    for (i = 0; i < nr_caches; i++)
        p->spots[i].cache = i;
    for (i = 0; i < nr_units; i++)
        p->units[i].origin = p->units[i].at = ANYWHERE;
}

void placement_free(struct placement *p)
{
    free(p->spots);
    free(p->cores);
    free(p->threads);
    free(p->server);
    free(p->place_cores);
    free(p->place_threads);
    free(p->part);
    free(p->apart);
    free(p->remote);
    free(p->line);
    free(p->units);
    free(p->usable);
    free(p->shunned);
    free(p->share);
    free(p->stray);
    free(p->pages);
    free(p->partners);
    free(p->weight);
    free(p->reach);
    free(p->memory);
    free(p->memory_stray);
    free(p->share_place);
    free(p->crowd);
    free(p->missed);
    room_free(&p->room);
}

/* Distances. */

static double line_between(const struct placement *p, unsigned int a,
                           unsigned int b)
{
    unsigned int x = p->spots[a].place, y = p->spots[b].place;
    const double *line = p->prices.line;

    if (a == b)
        return line[SAME_CACHE];
    if (x == y)
        return line[SAME_PLACE];

    return line[SAME_PLACE] + p->apart[x * p->nr_places + y] *
                              (line[OTHER_PLACE] - line[SAME_PLACE]);
}

static void spread_over_caches(struct placement *p, unsigned int spot)
{
    double *part = &p->part[spot * p->nr_caches];
    unsigned int i;

    for (i = 0; i < p->nr_caches; i++)
        if (p->spots[spot].cache == i)
            part[i] = 1;
        else if (p->spots[spot].cache == TOPOLOGY_UNKNOWN && p->cores[spot] > 0 &&
                 p->spots[i].place == p->spots[spot].place)
            part[i] = p->cores[i] / p->cores[spot];
}

/* Allocates the sums by cpupool. */
static void make_pools(struct placement *p)
{
    size_t places = (size_t)p->nr_pools * p->nr_places, i, k;

    p->place_cores = need_memory(places, sizeof(*p->place_cores));
    p->place_threads = need_memory(places, sizeof(*p->place_threads));
    p->crowd = need_memory(places, sizeof(*p->crowd));
    room_init(&p->room, p->nr_pools, p->nr_caches, p->nr_places);
    for (i = 0; i < p->nr_caches; i++)
        p->room.within[i] = p->spots[i].place;
    for (k = 0; k < p->nr_pools; k++)
        for (i = 0; i < p->nr_caches; i++) {
            size_t at = k * p->nr_places + p->spots[i].place;

            p->place_cores[at] += p->cores[i];
            p->place_threads[at] += fmax(p->threads[i], p->cores[i]);
            p->siblings |= p->threads[i] > p->cores[i];
        }
}

void placement_measure(struct placement *p)
{
    unsigned int nr = p->nr_caches, a, b, i, k;

    make_pools(p);
    for (a = 0; a < p->nr_spots; a++)
        spread_over_caches(p, a);
    for (a = 0; a < p->nr_spots; a++)
        for (b = 0; b < p->nr_spots; b++)
            for (i = 0; i < nr; i++)
                for (k = 0; p->part[a * nr + i] > 0 && k < nr; k++)
                    if (p->part[b * nr + k] > 0)
                        p->line[a * p->nr_spots + b] +=
                            p->part[a * nr + i] * p->part[b * nr + k] *
                            line_between(p, i, k);
    for (a = nr; a < p->nr_spots; a++)
        if (p->spots[a].core)
            p->line[a * p->nr_spots + a] =
                p->prices.line[p->threads[a] > 1 ? SAME_CORE : SAME_PCPU];
}

/* Units. */

double placement_part(const struct placement *p, unsigned int unit,
                      unsigned int spot, unsigned int cache)
{
    return spot == ANYWHERE ? p->share[unit * p->nr_caches + cache]
                            : p->part[spot * p->nr_caches + cache];
}

double placement_part_of_place(const struct placement *p, unsigned int unit,
                               unsigned int spot, unsigned int place)
{
    return spot == ANYWHERE ? p->share_place[unit * p->nr_places + place]
                            : p->spots[spot].place == place;
}

double placement_line(const struct placement *p, unsigned int a,
                      unsigned int spot, unsigned int b)
{
    const double *stray = &p->stray[a * p->nr_caches];
    unsigned int at = p->units[b].at, i;
    double line = 0;

    if (spot != ANYWHERE)
        return at == ANYWHERE ? p->reach[b * p->nr_spots + spot]
                              : p->line[spot * p->nr_spots + at];
    if (at != ANYWHERE)
        return p->reach[a * p->nr_spots + at];
    for (i = 0; i < p->nr_caches; i++)
        line += stray[i] * p->reach[b * p->nr_spots + i];

    return line;
}

double placement_apart(const struct placement *p, unsigned int a,
                       unsigned int spot, unsigned int b)
{
    double near = 0;
    unsigned int i;

    for (i = 0; i < p->nr_places; i++)
        near += placement_part_of_place(p, a, spot, i) *
                placement_part_of_place(p, b, p->units[b].at, i);

    return near < 1 ? 1 - near : 0;
}

/* ns/s for the memory of @unit, if it runs at @place. */
static double memory_at(const struct placement *p, unsigned int unit,
                        unsigned int place)
{
    const double *pages = &p->pages[unit * p->nr_places];
    double far = 0;
    unsigned int i;

    for (i = 0; i < p->nr_places; i++)
        if (i != place)
            far += pages[i] * p->remote[place * p->nr_places + i];

    return p->units[unit].misses * far;
}

static void prepare_unit(struct placement *p, unsigned int unit)
{
    const double *stray = &p->stray[unit * p->nr_caches];
    unsigned int i, k;

    for (i = 0; i < p->nr_spots; i++) {
        double reach = 0;

        for (k = 0; k < p->nr_caches; k++)
            reach += stray[k] * p->line[k * p->nr_spots + i];
        p->reach[unit * p->nr_spots + i] = reach;
        p->memory[unit * p->nr_spots + i] =
            memory_at(p, unit, p->spots[i].place);
    }
    for (k = 0; k < p->nr_caches; k++) {
        p->memory_stray[unit] += stray[k] *
                                 p->memory[unit * p->nr_spots + k];
        p->share_place[unit * p->nr_places + p->spots[k].place] +=
            p->share[unit * p->nr_caches + k];
    }
}

/* Returns whether the unit takes room at its spot: it is bound or sent there. */
static bool takes_room(const struct unit *u)
{
    return u->at != ANYWHERE && (u->bound || u->at != u->origin);
}

static struct tenant tenant_of(const struct placement *p, unsigned int unit)
{
    const struct unit *u = &p->units[unit];

    /* Caches are the first spots. */
    return (struct tenant){ u->pool, u->demand, u->width, &p->usable[unit * p->nr_spots] };
}

/* Adds @part of the unit; a negative @part removes it. */
static struct crowd crowd_with(struct crowd crowd, const struct unit *u, double part)
{
    crowd.vcpus += part * u->demand.vcpus;
    crowd.runnable += part * u->demand.need;
    crowd.variance += part * u->demand.vcpus * u->runs * (1 - u->runs * fabs(part));

    return crowd;
}

/* The crowd at a place without @unit. */
static struct crowd crowd_of_others(const struct placement *p, unsigned int unit,
                                    unsigned int place)
{
    const struct unit *u = &p->units[unit];

    return crowd_with(p->crowd[placement_in_pool(p, u, place)], u,
                      -placement_part_of_place(p, unit, u->at, place));
}

double crowd_excess(const struct crowd *crowd, double pcpus)
{
    return fmax(crowd->runnable - pcpus, 0);
}

/*
 * The part of a standard normal distribution beyond @z >= 0, divided by exp(-z * z / 2):
 * Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.  Faster than erfc().
 */
static double normal_tail(double z)
{
    double t = 1 / (1 + 0.3275911 * M_SQRT1_2 * z);

    return t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 +
                t * (-1.453152027 + t * 1.061405429)))) / 2;
}

/* The mean excess of a normal distribution over the pCPUs, less the excess of its mean. */
double crowd_queue(const struct crowd *crowd, double pcpus)
{
    double far = fabs(crowd->runnable - pcpus), deviation, z;

    /* Beyond 5 deviations, or within rounding, no vCPU waits. */
    if (crowd->vcpus < pcpus + 0.5 || far * far >= 25 * crowd->variance)
        return 0;
    deviation = sqrt(crowd->variance);
    z = far / deviation;

    return deviation * exp(-z * z / 2) * (M_2_SQRTPI * M_SQRT1_2 / 2 - z * normal_tail(z));
}

#define NS_PER_S 1e9

double crowd_price(const struct placement *p, unsigned int unit, unsigned int spot,
                   double (*wait)(const struct crowd *crowd, double pcpus),
                   const double *of_place)
{
    const struct unit *u = &p->units[unit];
    unsigned int i = spot == ANYWHERE ? 0 : p->spots[spot].place;
    unsigned int end = spot == ANYWHERE ? p->nr_places : i + 1;
    double vcpus = 0;

    for (; i < end; i++) {
        double part = placement_part_of_place(p, unit, spot, i);
        double pcpus = of_place[placement_in_pool(p, u, i)];
        struct crowd without = crowd_of_others(p, unit, i), with = crowd_with(without, u, part);

        vcpus += wait(&with, pcpus) - wait(&without, pcpus);
    }

    return NS_PER_S * vcpus;
}

static void count_unit(struct placement *p, unsigned int unit, bool in)
{
    const struct unit *u = &p->units[unit];
    const struct tenant tenant = tenant_of(p, unit);
    double sign = in ? 1 : -1;
    unsigned int i;

    for (i = 0; i < p->nr_places; i++) {
        struct crowd *crowd = &p->crowd[placement_in_pool(p, u, i)];

        *crowd = crowd_with(*crowd, u, sign * placement_part_of_place(p, unit, u->at, i));
    }
    for (i = 0; u->misses_counted && i < p->nr_caches; i++)
        p->missed[i] += sign * placement_part(p, unit, u->at, i) * u->misses;
    if (takes_room(u))
        room_change(&p->room, &tenant, p->spots[u->at], sign);
}

void placement_move(struct placement *p, unsigned int unit, unsigned int spot)
{
    count_unit(p, unit, false);
    p->units[unit].at = spot;
    count_unit(p, unit, true);
}

double placement_busy(const struct placement *p, unsigned int unit,
                      unsigned int place)
{
    double runnable = crowd_of_others(p, unit, place).runnable;
    double cores = p->place_cores[placement_in_pool(p, &p->units[unit], place)];

    if (runnable <= 0 || cores <= 0)
        return 0;

    return runnable < cores ? runnable / cores : 1;
}

/* If others keep the place less busy than this, migrations do not depend on them. */
#define LEAST_BUSY 0.05

/* Sets u->restless; a vCPU moves at most once per wake-up. */
static void find_restless(struct placement *p, unsigned int unit)
{
    struct unit *u = &p->units[unit];
    double busy = 0;
    unsigned int i;

    for (i = 0; i < p->nr_places; i++)
        busy += placement_part_of_place(p, unit, u->at, i) *
                placement_busy(p, unit, i);
    u->restless = busy >= LEAST_BUSY ? u->migrations / busy : 0;
    if (u->restless > u->wakes)
        u->restless = u->wakes;
}

void placement_ready(struct placement *p)
{
    unsigned int i;

    for (i = 0; i < p->nr_units; i++) {
        if (!p->units[i].width)
            p->units[i].width = p->units[i].demand.vcpus;
        if (p->units[i].demand.vcpus)
            p->units[i].runs = fmin(p->units[i].demand.need / p->units[i].demand.vcpus, 1);
        prepare_unit(p, i);
        p->units[i].at = p->units[i].origin;
        count_unit(p, i, true);
    }
    for (i = 0; i < p->nr_units; i++)
        find_restless(p, i);
}

/* A core has room for its back end and one guest. */
static bool is_taken(const struct placement *p, unsigned int unit, unsigned int core)
{
    unsigned int i;

    for (i = 0; i < p->nr_units; i++)
        if (p->units[i].at == core && i != unit && i != p->server[core])
            return true;

    return false;
}

static bool has_room(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    const struct unit *u = &p->units[unit];
    const struct tenant tenant = tenant_of(p, unit);

    return placement_allows(p, unit, spot) &&
           !(p->spots[spot].core && is_taken(p, unit, spot)) &&
           room_fits(&p->room, &tenant, takes_room(u) ? &p->spots[u->at] : NULL, p->spots[spot],
                     ROOM_TO_GO);
}

/* A unit at a core counts in its cache already. */
static bool leaves_core(const struct placement *p, unsigned int from, unsigned int to)
{
    return from != ANYWHERE && p->spots[from].core && p->spots[from].cache == to;
}

bool placement_fits(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    const struct unit *u = &p->units[unit];

    return spot == u->at || (spot == u->origin && !u->bound) ||
           leaves_core(p, u->at, spot) || has_room(p, unit, spot);
}

static bool has_moved(const struct unit *u)
{
    return u->at != ANYWHERE && u->at != u->origin;
}

bool placement_holds(const struct placement *p, unsigned int unit)
{
    const struct unit *u = &p->units[unit];
    unsigned int i;

    if (u->at == ANYWHERE)
        return true;
    if (has_moved(u))
        return leaves_core(p, u->origin, u->at) || has_room(p, unit, u->at);
    for (i = 0; i < p->nr_units; i++) {
        const struct unit *other = &p->units[i];

        if (has_moved(other) && other->pool == u->pool &&
            p->spots[other->at].place == p->spots[u->at].place && !placement_holds(p, i))
            return false;
    }

    return true;
}
