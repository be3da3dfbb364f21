/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks for the guard whether a guest can be at a spot, and finds the obstacle.  guard.c
 * decides.
 */
#include "guard-spot.h"

/* Capacity. */

unsigned int spot_cores(const struct candidate *c, struct spot spot)
{
    return room_cores(&c->guard->room, &c->standing->tenant, spot);
}

/* Since the guest was sent there, vCPUs may have come online and cores gone offline. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part)
{
    return room_fits(&c->guard->room, &c->standing->tenant, NULL, spot, part);
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

        if (s == c->standing || s->at.place != spot.place || s->open ||
            s->tenant.pool != c->standing->tenant.pool ||
            (spot.cache != TOPOLOGY_UNKNOWN && s->at.cache != spot.cache &&
             s->at.cache != TOPOLOGY_UNKNOWN) || s->tenant.demand.need <= need)
            continue;
        need = s->tenant.demand.need;
        most = &g->input->domains->domain[i];
    }

    return most;
}

void spot_object(const struct candidate *c, struct spot spot, double part)
{
    const struct spot place = { spot.place, TOPOLOGY_UNKNOWN };
    const struct tenant *t = &c->standing->tenant;
    const struct guard *g = c->guard;
    const struct domain *most;
    struct reason reason = { .code = REASON_NO_ROOM, .of = t->demand.vcpus };

    reason.spot = spot_can_be(c, place, part) ? spot : place;
    reason.count = spot_cores(c, reason.spot);
    if (reason.count < reason.of)
        reason.code = REASON_FEW_CORES;
    reason.need = t->demand.need;
    reason.taken = room_taken(&g->room, t->pool, reason.spot).need;
    reason.other = most = greatest_at(c, reason.spot);
    if (most)
        reason.other_need = g->standing[most - g->input->domains->domain].tenant.demand.need;
    decide(c->decision, LEAVE, reason);
}

/* Returns the spot to which the domain was moved; UNKNOWN: it was not moved. */
struct spot spot_ours(const struct candidate *c)
{
    const struct spot nowhere = { TOPOLOGY_UNKNOWN, TOPOLOGY_UNKNOWN };

    return c->past->moved ? guard_sent_to(c->guard->input->topology, c->domain)
                          : nowhere;
}
