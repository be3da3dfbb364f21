/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts demands at caches and at whole places; a place has those at its caches, too. */
#include <stdlib.h>

#include "base/alloc.h"
#include "room.h"

/* vCPUs and pCPUs; less is rounding. */
#define SOMETHING 1e-6

void room_init(struct room *room, unsigned int nr_pools, unsigned int nr_caches,
               unsigned int nr_places)
{
    room->nr_caches = nr_caches;
    room->nr_spots = nr_caches + nr_places;
    room->within = need_memory(nr_caches, sizeof(*room->within));
    room->taken = need_memory((size_t)nr_pools * room->nr_spots, sizeof(*room->taken));
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

/* The demand of the tenants of exactly this spot. */
static struct demand *taken_at(const struct room *room, unsigned int pool, struct spot spot)
{
    return &room->taken[(size_t)pool * room->nr_spots +
                        (spot.cache == TOPOLOGY_UNKNOWN ? room->nr_caches + spot.place
                                                        : spot.cache)];
}

struct demand room_taken(const struct room *room, unsigned int pool, struct spot spot)
{
    struct demand sum = *taken_at(room, pool, spot);
    unsigned int i;

    for (i = 0; spot.cache == TOPOLOGY_UNKNOWN && i < room->nr_caches; i++)
        if (room->within[i] == spot.place)
            demand_add(&sum, room->taken[(size_t)pool * room->nr_spots + i], 1);

    return sum;
}

void room_change(struct room *room, const struct tenant *t, struct spot spot, double sign)
{
    demand_add(taken_at(room, t->pool, spot), t->demand, sign);
}

/* Returns whether all of @spot has room for the tenant, if the tenant is counted at @at. */
static bool spot_fits(const struct room *room, const struct tenant *t, const struct spot *at,
                      struct spot spot, double part)
{
    struct demand sum = room_taken(room, t->pool, spot);
    double cores = room_cores(room, t, spot);

    if (at && at->place == spot.place &&
        (spot.cache == TOPOLOGY_UNKNOWN || at->cache == spot.cache))
        demand_add(&sum, t->demand, -1);
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
