/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts demands by cache; a place is the sum of its caches. */
#include <stdlib.h>

#include "base/alloc.h"
#include "room.h"

/* vCPUs and pCPUs; less is rounding. */
#define SOMETHING 1e-6

void room_init(struct room *room, unsigned int nr_pools, unsigned int nr_caches)
{
    room->nr_caches = nr_caches;
    room->within = need_memory(nr_caches, sizeof(*room->within));
    room->taken = need_memory((size_t)nr_pools * nr_caches, sizeof(*room->taken));
}

void room_free(struct room *room)
{
    free(room->within);
    free(room->taken);
}

static bool spot_has(const struct room *room, struct spot spot, unsigned int cache)
{
    return spot.cache == TOPOLOGY_UNKNOWN ? room->within[cache] == spot.place
                                          : spot.cache == cache;
}

unsigned int room_cores(const struct room *room, const struct tenant *t, struct spot spot)
{
    unsigned int i, cores = 0;

    for (i = 0; i < room->nr_caches; i++)
        if (spot_has(room, spot, i))
            cores += t->cores[i];

    return cores;
}

struct demand room_taken(const struct room *room, unsigned int pool, struct spot spot)
{
    struct demand sum = { 0 };
    unsigned int i;

    for (i = 0; i < room->nr_caches; i++)
        if (spot_has(room, spot, i))
            demand_add(&sum, room->taken[pool * room->nr_caches + i], 1);

    return sum;
}

/* The part of a tenant of @spot that counts in a cache, 0 ... 1. */
static double part_in(const struct room *room, const struct tenant *t, struct spot spot,
                      unsigned int cache)
{
    unsigned int cores, caches = 0, i;

    if (!spot_has(room, spot, cache))
        return 0;
    cores = room_cores(room, t, spot);
    if (cores)
        return (double)t->cores[cache] / cores;
    for (i = 0; i < room->nr_caches; i++)
        caches += spot_has(room, spot, i);

    return 1.0 / caches;
}

void room_change(struct room *room, const struct tenant *t, struct spot spot, double sign)
{
    unsigned int i;

    for (i = 0; i < room->nr_caches; i++)
        demand_add(&room->taken[t->pool * room->nr_caches + i], t->demand,
                   sign * part_in(room, t, spot, i));
}

/* Returns whether all of @spot has room for the tenant, if the tenant is counted at @at. */
static bool spot_fits(const struct room *room, const struct tenant *t, const struct spot *at,
                      struct spot spot, double part)
{
    struct demand sum = room_taken(room, t->pool, spot);
    double cores = room_cores(room, t, spot);
    unsigned int i;

    for (i = 0; at && i < room->nr_caches; i++)
        if (spot_has(room, spot, i))
            demand_add(&sum, t->demand, -part_in(room, t, *at, i));
    demand_add(&sum, t->demand, 1);

    return cores >= (t->width ? t->width : t->demand.vcpus) &&
           (sum.vcpus <= cores + SOMETHING || sum.need <= part * cores);
}

bool room_fits(const struct room *room, const struct tenant *t, const struct spot *at,
               struct spot spot, double part)
{
    const struct spot place = spot_of_place(spot.place);

    return spot_fits(room, t, at, spot, part) &&
           (spot.cache == TOPOLOGY_UNKNOWN || spot_fits(room, t, at, place, part));
}
