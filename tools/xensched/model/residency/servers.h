/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * servers.h - which vCPUs of a driver domain serve which guest.
 *
 * To be near a driver domain whose vCPUs are at several places means nothing.  But
 * a guest that it serves notifies it through event channels of its own, and each of them
 * notifies one of its vCPUs, which takes the request from the ring.  Which one, Xen knows
 * (daemon/core/observe-host.h); where it runs is known if its hard affinity keeps
 * it at one place.
 *
 * How much goes through each channel is not known: all of a front end's count alike.
 */
#ifndef XENSCHED_MODEL_SERVERS_H
#define XENSCHED_MODEL_SERVERS_H

#include "model/domain.h"
#include "model/topology/topology.h"

/*
 * Is it worth asking?  Hard affinity keeps each vCPU of driver domain @d that is
 * online at one place, and not all of them at the same one.
 */
bool servers_matter(const struct topology *t, const struct domain *d);

/* Another channel of @front_end to @d notifies @vcpu. */
void servers_add(struct domain *d, uint32_t front_end, unsigned int vcpu);

/* Is it known which vCPUs of @d serve @front_end? */
bool servers_known(const struct domain *d, uint32_t front_end);

/* The part of its channels that notify @vcpu: 0 ... 1. */
double servers_part(const struct domain *d, uint32_t front_end,
                    unsigned int vcpu);

/* That of vCPUs which are kept on @cpus; -1: not known. */
double servers_part_on(const struct domain *d, uint32_t front_end,
                       const struct cpumap *cpus);

#endif /* XENSCHED_MODEL_SERVERS_H */
