/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks for the guard whether a guest can be at a spot, and finds the obstacle.  guard.c
 * decides.
 */
#include "guard-spot.h"

/* Capacity. */

unsigned int spot_cores(const struct candidate *c, struct spot spot)
{
    return spot.cache == TOPOLOGY_UNKNOWN
           ? c->standing->cores[spot.place]
           : c->standing->cache_cores[spot.cache];
}

static struct demand taken_at(const struct candidate *c, struct spot spot)
{
    return *guard_taken(c->guard, c->standing, spot);
}

static bool has_room(const struct candidate *c, struct spot spot, double part)
{
    return room_for(taken_at(c, spot), c->standing->demand,
                    spot_cores(c, spot), part);
}

/* Since the guest was sent there, vCPUs may have come online and cores gone offline. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part)
{
    return spot_cores(c, spot) >= c->standing->demand.vcpus &&
           has_room(c, spot, part);
}

bool spot_can_go(const struct candidate *c, struct spot spot)
{
    return spot_can_be(c, spot, ROOM_TO_GO);
}

/* Returns the guest at the spot with the largest need; NULL: no guest needs anything. */
static const struct domain *greatest_at(const struct candidate *c,
                                        struct spot spot)
{
    const struct guard *g = c->guard;
    const struct domain *most = NULL;
    double need = 0;
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++) {
        const struct standing *s = &g->standing[i];

        if (s == c->standing || s->place != spot.place || s->open ||
            s->cpupool != c->standing->cpupool ||
            (spot.cache != TOPOLOGY_UNKNOWN && s->cache != spot.cache &&
             s->cache != TOPOLOGY_UNKNOWN) || s->demand.need <= need)
            continue;
        need = s->demand.need;
        most = &g->input->domains->domain[i];
    }

    return most;
}

void spot_object(const struct candidate *c, struct spot spot)
{
    const struct guard *g = c->guard;
    const struct domain *most = greatest_at(c, spot);
    struct reason reason = {
        REASON_NO_ROOM, spot,
        .count = spot_cores(c, spot), .of = c->standing->demand.vcpus,
        .need = c->standing->demand.need, .taken = taken_at(c, spot).need, .other = most,
    };

    if (reason.count < reason.of)
        reason.code = REASON_FEW_CORES;
    if (most)
        reason.other_need = g->standing[most - g->input->domains->domain].demand.need;
    decide(c->decision, LEAVE, reason);
}

/* Returns the spot to which the domain was moved; UNKNOWN: it was not moved. */
struct spot spot_ours(const struct candidate *c)
{
    const struct spot nowhere = { TOPOLOGY_UNKNOWN, TOPOLOGY_UNKNOWN };

    return c->past->moved ? guard_sent_to(c->guard->input->topology, c->domain)
                          : nowhere;
}
