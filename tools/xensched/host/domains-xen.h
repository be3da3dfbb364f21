/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domains-xen.h - the domains of the real host: what Xen and xenstore report of them, and the
 * affinities of their vCPUs.
 */
#ifndef XENSCHED_HOST_DOMAINS_XEN_H
#define XENSCHED_HOST_DOMAINS_XEN_H

#include <stdbool.h>

#include <xenctrl.h>

#include <xensched/error.h>

#include "model/domain.h"

struct xenstore;

/* The owner opens and closes the members. */
struct domains_xen {
    xc_interface *xch;
    struct xenstore *xs;
    const char *soft_pools; /* NULL: none; see host-xen.h */
    unsigned int nr_cpus;
    char said[sizeof(((struct xensched_error *)0)->text)];
};

/*
 * Lists all domains; without @vcpus only their identity.  Waits for xenstored.  Leaves out a domain
 * that cannot be read, with a message.
 */
int domains_xen_list(struct domains_xen *x, struct domains *domains,
                     bool vcpus, struct xensched_error *err);

/* Has the domain with this UUID ended? */
bool domains_xen_is_gone(const struct domains_xen *x, uint32_t domid,
                         const char *uuid);

int domains_xen_get_affinity(const struct domains_xen *x, uint32_t domid,
                             unsigned int vcpu, struct cpumap *hard,
                             struct cpumap *soft, struct xensched_error *err);

/* NULL leaves the hard or the soft affinity as it is. */
int domains_xen_set_affinity(const struct domains_xen *x, uint32_t domid,
                             unsigned int vcpu, const struct cpumap *hard,
                             const struct cpumap *soft,
                             struct xensched_error *err);

#endif /* XENSCHED_HOST_DOMAINS_XEN_H */
