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
 * Membership: gives domains their accounting domains (accounting.h) as they start and end.  Binds,
 * unbinds and retires them in Xen, and removes the accounting domain of a domain that does not
 * return from matrix, governor and waiting times.
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
 * The daemon never changes an operator's affinity, so it has to distinguish it from Xen's default,
 * from xl's choice, and from its own changes.  In doubt it is the operator's.
 */

struct ownership {
    const struct host *host;
    const struct topology *topology;
    struct actuator *actuator;
    uint64_t settle_ns; /* a younger domain may still be under construction */
    uint64_t now_ns;
};

/* Sets d->affinity and d->ours.  @member is the domain's, or NULL. */
void ownership_find(const struct ownership *o, struct member *member,
                    struct domain *d);

/* Call this after changing the affinity: the next reading counts as the first one. */
void ownership_look_anew(struct member *member);

/*
 * Carries out a plan: the decisions that the mode allows, at the allowed pace, with journal
 * entries.
 */

/*
 * core->plan is about core->domains.  Journals proposals and outcomes in any mode; changes
 * affinities in MODE_ACT only, and sets decision.done.
 */
void carry_out_plan(struct core *core, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_CORE_CORE_PARTS_H */
