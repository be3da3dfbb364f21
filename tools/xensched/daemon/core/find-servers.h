/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * find-servers.h - the core finds out which vCPUs of driver domains serve which guest
 * (model/servers.h), by asking Xen for their event channels, where that matters.
 */
#ifndef XENSCHED_DAEMON_FIND_SERVERS_H
#define XENSCHED_DAEMON_FIND_SERVERS_H

#include "core.h"

/* Asks if it is time to, and tells core->domains what is known. */
void find_servers(struct core *core, uint64_t now_ns);

void find_servers_end(struct core *core);

#endif /* XENSCHED_DAEMON_FIND_SERVERS_H */
