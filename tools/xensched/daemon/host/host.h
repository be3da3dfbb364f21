/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - all that the daemon asks of the host, as a set of functions.
 *
 * host-xen.c is the real one; unit tests have one that follows a script.
 * Everything else of the daemon runs without Xen.
 *
 * Functions which can fail return 0 or a negative errno value and fill in
 * *err.  @data is struct host.data.
 */
#ifndef XENSCHED_DAEMON_HOST_H
#define XENSCHED_DAEMON_HOST_H

#include <xensched/error.h>

#include "model/domain.h"
#include "model/topology.h"

/* What `xensched status' tells of Xen. */
struct host_facts {
    unsigned int abi_version;
    uint32_t events_built;   /* mask of 1 << XEN_SCHEDLOG_EV_* */
    uint32_t events_enabled; /* likewise */
    unsigned int nr_sites;
    unsigned int pcpus;      /* with a log */
    uint64_t log_bytes;      /* memory of the hypervisor used for logs */
    uint32_t lease_ms;       /* 0: nobody holds the log */
    uint32_t lease_left_ms;  /* until it ends, unless it is renewed */
    unsigned int nr_pmcs;    /* performance counters that can be used */
};

struct host {
    void *data;

    /*
     * Fill in @t, which is not initialised.  nr_cpus is always the same, and
     * that of all maps.
     */
    int (*topology)(void *data, struct topology *t,
                    struct xensched_error *err);

    /*
     * Add all domains that exist, sorted by domid, to @domains, which is
     * empty.  Sets what struct domain has "from the host".  Domains which go
     * away meanwhile are left out.
     */
    int (*domains)(void *data, struct domains *domains,
                   struct xensched_error *err);

    /* @hard and @soft are initialised.  -ESRCH: domain or vCPU is gone. */
    int (*get_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err);
    /* NULL: leave that one as it is. */
    int (*set_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err);

    /*
     * How much a soft affinity weighs for the balancer of credit2, in percent;
     * 0: nothing.  -ENOENT: this Xen has no such parameter.
     */
    int (*get_soft_weight)(void *data, uint32_t *percent,
                           struct xensched_error *err);
    int (*set_soft_weight)(void *data, uint32_t percent,
                           struct xensched_error *err);

    /*
     * Does the configuration which the domain was made from name an affinity?
     * True when that isn't known.
     */
    bool (*names_affinity)(void *data, uint32_t domid);

    /* Accounting domains are below this. */
    unsigned int nr_acct;

    /* Log the events of @domid under @acct from now on.  -ESRCH: gone. */
    int (*bind)(void *data, uint32_t domid, uint16_t acct,
                struct xensched_error *err);
    /* Events of @domid, if it still is, are logged under REST. */
    void (*unbind)(void *data, uint32_t domid);
    /* @acct stands for nobody any more. */
    void (*retire)(void *data, uint16_t acct);

    /* Of so many events of @acct one is logged from now on.  It is bound. */
    void (*set_threshold)(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold);

    /*
     * Turn the hypervisor's events on which were chosen, and hold the log for
     * @lease_ms from now, and from each sign of life; 0 when none was chosen:
     * then there is nothing to hold.  -EEXIST: somebody else holds it.
     */
    int (*log)(void *data, uint32_t lease_ms, struct xensched_error *err);
    /* Events which log() could not turn on, and has said why. */
    uint32_t refused;
    void (*alive)(void *data);

    int (*facts)(void *data, struct host_facts *facts,
                 struct xensched_error *err);
};

#endif /* XENSCHED_DAEMON_HOST_H */
