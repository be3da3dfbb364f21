/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * servers.h - which vCPUs of a driver domain serve which guest.
 *
 * A guest cannot be near a driver domain whose vCPUs are at several places.  But it notifies the
 * driver domain through event channels of its own, and each of them notifies one vCPU, which
 * handles the requests of the ring.  Xen reports which vCPU (daemon/core/observe-host.h), and the
 * vCPU's location is known if its hard affinity keeps it at one place.
 *
 * The traffic of a channel is unknown: all channels of a front end have equal weight.
 */
#ifndef XENSCHED_MODEL_SERVERS_H
#define XENSCHED_MODEL_SERVERS_H

#include "model/domain.h"
#include "model/topology/topology.h"

/*
 * Do the channels of driver domain @d matter: does the hard affinity keep each of its online vCPUs
 * at one place, and not all of them at the same one?
 */
bool servers_matter(const struct topology *t, const struct domain *d);

/* Records that a channel of @front_end to @d notifies @vcpu. */
void servers_add(struct domain *d, uint32_t front_end, unsigned int vcpu);

/* Is it known which vCPUs of @d serve @front_end? */
bool servers_known(const struct domain *d, uint32_t front_end);

/* The part of its channels that notifies @vcpu: 0 ... 1. */
double servers_part(const struct domain *d, uint32_t front_end,
                    unsigned int vcpu);

/* The part that notifies vCPUs whose hard affinity is within @cpus; -1: unknown. */
double servers_part_on(const struct domain *d, uint32_t front_end,
                       const struct cpumap *cpus);

#endif /* XENSCHED_MODEL_SERVERS_H */
