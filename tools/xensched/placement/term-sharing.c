/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices a core that a guest and its back end share, for the time in which both want to run.  If the
 * core has one thread, one of the two waits; if it has several, both run, and are slower.
 *
 * Before the guest is there, the price assumes that each of them is runnable by chance.  They often
 * take turns, because each waits for the other; so this is usually too much.  Once the guest is
 * there, the price is the waits that Xen counts in addition.  With several threads there are none, so
 * the assumption remains.
 */
#include "term.h"

#define NS_PER_S 1e9

/* vCPUs that wait more than they did before. */
static double added_waits(const struct unit *u)
{
    return u->queued > u->waits_alone ? u->queued - u->waits_alone : 0;
}

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    const struct unit *u = &p->units[unit], *server;

    if (spot == ANYWHERE || !p->spots[spot].core || unit == p->server[spot])
        return 0;
    server = &p->units[p->server[spot]];
    if (p->threads[spot] > 1)
        return NS_PER_S * p->prices.sibling * u->demand.need * server->demand.need;

    return NS_PER_S * (spot == u->origin ? added_waits(u) + added_waits(server)
                                         : u->demand.need * server->demand.need);
}

const struct term term_sharing = { "sharing", price };
