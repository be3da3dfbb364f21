/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * membership.h - keeps domains in their accounting domains as they come, go, and change their
 * group.
 *
 * accounting.h is the table.  This part binds, unbinds and retires domains in Xen, and drops
 * an accounting domain without members from matrix, governor and waiting times.
 */
#ifndef XENSCHED_DAEMON_MEMBERSHIP_H
#define XENSCHED_DAEMON_MEMBERSHIP_H

#include "core.h"

/*
 * @domains is the current state of the host.  Fills in acct and since_ns of each domain, and
 * removes the group of a driver domain.
 */
void membership_update(struct core *core, struct domains *domains,
                       uint64_t now_ns);

/* Unbinds all domains. */
void membership_end(struct core *core);

#endif /* XENSCHED_DAEMON_MEMBERSHIP_H */
