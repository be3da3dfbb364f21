/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * membership.h - which domain belongs to which accounting domain as domains
 * come, go, and change their group.
 *
 * accounting.h is the table.  This file binds, unbinds and retires domains in Xen,
 * and drops an accounting domain that is no longer needed from matrix, governor
 * and waiting times.
 */
#ifndef XENSCHED_DAEMON_MEMBERSHIP_H
#define XENSCHED_DAEMON_MEMBERSHIP_H

#include "core.h"

/*
 * @domains is a fresh look at the host.  Fills in acct and since_ns of each,
 * and removes the group of a driver domain.
 */
void membership_update(struct core *core, struct domains *domains,
                       uint64_t now_ns);

/* Unbind all of them. */
void membership_end(struct core *core);

#endif /* XENSCHED_DAEMON_MEMBERSHIP_H */
