/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices the time in which a guest and the back end whose core it shares both want to run: one
 * of them waits, or both are slower as threads of the core.
 *
 * Before the guest is there, the price assumes that each of both is runnable by chance.  The two
 * often take turns, because each waits for the other; so this is usually too much.  Once the
 * guest is there, the waits that Xen counts in addition are the price.  Threads of a core do not wait.
 */
#include "term.h"

#define NS_PER_S 1e9

/* vCPUs that wait more than they did before. */
static double added_waits(const struct unit *u)
{
    return u->waited > u->waits_alone ? u->waited - u->waits_alone : 0;
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
