/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room.h - counts the demand at each place, and decides whether there is capacity for more.  The
 * guard and the search of placement use the same account.
 *
 * Waiting for a pCPU costs more than distance from a partner.  If each vCPU has a core, no vCPU
 * waits.  If there are more vCPUs than cores, chance decides which vCPU waits, and waits grow
 * longer the fewer cores are idle.  So a place is full while some of its cores are still free.
 */
#ifndef XENSCHED_POLICY_ROOM_H
#define XENSCHED_POLICY_ROOM_H

#include <stdbool.h>

#include "model/topology/topology.h"

/* The demand of one or more domains. */
struct demand {
    double need;  /* pCPUs; see model/runnable.h */
    double vcpus; /* online */
};

/* Adds @part of a demand; a negative @part removes it. */
static inline void demand_add(struct demand *sum, struct demand more, double part)
{
    sum->need += part * more.need;
    sum->vcpus += part * more.vcpus;
}

/* The part of the cores that may be needed: for a move there, and for a stay. */
#define ROOM_TO_GO   0.8
#define ROOM_TO_STAY 0.9

/*
 * The demand of the domains that are bound or sent to each cache, or to all of a place.  The latter
 * use what is left in the place, so they count there, and in none of its caches.
 */
struct room {
    unsigned int nr_caches;
    unsigned int nr_spots; /* caches, then places */
    unsigned int *within;  /* [cache]: its place */
    struct demand *taken;  /* [pool][spot]: cpupools share no pCPUs */
};

/* A domain, or several that move as one. */
struct tenant {
    unsigned int pool;
    struct demand demand;
    unsigned int width;        /* most vCPUs of one of the domains; 0: demand.vcpus */
    const unsigned int *cores; /* [cache]: those that it may use */
};

/* The caller fills in room->within, and frees *@room with room_free(). */
void room_init(struct room *room, unsigned int nr_pools, unsigned int nr_caches,
               unsigned int nr_places);
void room_free(struct room *room);

/* Counts the tenant at @spot with @sign 1; -1 ends that. */
void room_change(struct room *room, const struct tenant *t, struct spot spot, double sign);

/* Returns the demand at @spot. */
struct demand room_taken(const struct room *room, unsigned int pool, struct spot spot);

/* Returns the number of cores of @spot that the tenant may use. */
unsigned int room_cores(const struct room *room, const struct tenant *t, struct spot spot);

/*
 * Returns whether @spot, and the place that contains it, have cores and capacity for the tenant
 * beside all others.  @at: where the tenant is counted itself; NULL: nowhere.
 */
bool room_fits(const struct room *room, const struct tenant *t, const struct spot *at,
               struct spot spot, double part);

#endif /* XENSCHED_POLICY_ROOM_H */
