/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domains-xen.h - the domains of the real host: which there are, what Xen and
 * xenstore know of them, and the affinities of their vCPUs.
 */
#ifndef XENSCHED_HOST_DOMAINS_XEN_H
#define XENSCHED_HOST_DOMAINS_XEN_H

#include <stdbool.h>

#include <xenctrl.h>

#include <xensched/error.h>

#include "model/domain.h"

struct xenstore;

/* Its owner opens and closes what is in it. */
struct domains_xen {
    xc_interface *xch;
    struct xenstore *xs;
    const char *soft_pools; /* NULL: none; see host-xen.h */
    unsigned int nr_cpus;
    char said[sizeof(((struct xensched_error *)0)->text)];
};

/*
 * All domains; without @vcpus only their identity.  Waits for xenstored.  A domain that cannot
 * be read is left out, with a message.
 */
int domains_xen_list(struct domains_xen *x, struct domains *domains,
                     bool vcpus, struct xensched_error *err);

/* Is there no such domain with this UUID any more? */
bool domains_xen_is_gone(const struct domains_xen *x, uint32_t domid,
                         const char *uuid);

int domains_xen_get_affinity(const struct domains_xen *x, uint32_t domid,
                             unsigned int vcpu, struct cpumap *hard,
                             struct cpumap *soft, struct xensched_error *err);

/* @hard or @soft are NULL: that one stays as it is. */
int domains_xen_set_affinity(const struct domains_xen *x, uint32_t domid,
                             unsigned int vcpu, const struct cpumap *hard,
                             const struct cpumap *soft,
                             struct xensched_error *err);

#endif /* XENSCHED_HOST_DOMAINS_XEN_H */
