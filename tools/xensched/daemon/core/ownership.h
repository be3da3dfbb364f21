/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ownership.h - whose doing is the affinity of a domain?
 *
 * What an operator set is never touched, so everything hangs on telling it
 * from what Xen does by default, from what xl picks by itself, and from what
 * we set.  In doubt it is the operator's.
 */
#ifndef XENSCHED_DAEMON_OWNERSHIP_H
#define XENSCHED_DAEMON_OWNERSHIP_H

#include "accounting.h"
#include "daemon/act/actuator.h"
#include "host/host.h"

struct ownership {
    const struct host *host;
    const struct topology *topology;
    struct actuator *actuator;
    uint64_t settle_ns; /* a domain this new may still be under construction */
    uint64_t now_ns;
};

/* Set d->affinity and d->ours.  @member is the domain's, or NULL. */
void ownership_find(const struct ownership *o, struct member *member,
                    struct domain *d);

/* We have changed the affinity: the next look is like the first. */
void ownership_look_anew(struct member *member);

#endif /* XENSCHED_DAEMON_OWNERSHIP_H */
