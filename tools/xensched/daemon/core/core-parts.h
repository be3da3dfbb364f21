/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core-parts.h - the steps of core_run() that are in files of their own.  Private to the core.
 */
#ifndef XENSCHED_DAEMON_CORE_CORE_PARTS_H
#define XENSCHED_DAEMON_CORE_CORE_PARTS_H

#include "daemon/act/actuator.h"
#include "host/host.h"
#include "accounting.h"
#include "core.h"

/*
 * Membership: gives domains their accounting domains (accounting.h) as they come and go.
 * Binds, unbinds and retires them in Xen, and drops an accounting domain whose domain stays
 * away from matrix, governor and waiting times.
 */

/*
 * @domains is the current state of the host.  Fills in acct and since_ns of each domain, and
 * removes the group of a driver domain.
 */
void membership_update(struct core *core, struct domains *domains,
                       uint64_t now_ns);

/* Unbinds all domains. */
void membership_end(struct core *core);

/*
 * Ownership: is a domain's affinity the daemon's, the operator's, or a default?
 *
 * What an operator set is never touched, so the daemon has to tell it from Xen's defaults, from
 * what xl chooses, and from its own changes.  In doubt it is the operator's.
 */

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

/*
 * Carries out a plan: which decisions in which mode, at which pace, and what the journal says.
 */

/*
 * core->plan is about core->domains.  Journals proposals and outcomes in any
 * mode; changes affinities in MODE_ACT only, and sets decision.done.
 */
void carry_out_plan(struct core *core, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_CORE_CORE_PARTS_H */
