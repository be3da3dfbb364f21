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
#ifndef XENSCHED_HOST_HOST_H
#define XENSCHED_HOST_HOST_H

#include <xensched/error.h>

#include "model/distance.h"
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
    uint32_t lease_ms;       /* 0: no program holds the log */
    uint32_t lease_left_ms;  /* until it ends, unless it is renewed */
    unsigned int nr_pmcs;    /* performance counters that can be used */
};

/* A frame of the machine, which belongs to a domain. */
struct host_owner {
    uint16_t domid, node;
};

/* So many frames are looked at by one call of owners(). */
#define HOST_OWNERS 4096U

/* An event channel of a domain's to another one. */
struct host_channel {
    uint32_t port;
    uint32_t domid, remote_port; /* at the other end */
    unsigned int vcpu; /* of the one that was asked about, that is notified */
};

/* A guest's channels to the toolstack's programs: xenstore, console. */
#define HOST_TOOL_PORTS 2U

/* A boot of the host, in words; see struct host.boot. */
#define HOST_BOOT_TEXT 40

struct host {
    void *data;

    /*
     * Differs from one boot of Xen to the next; "": not known.  It is that of
     * dom0's kernel: Xen itself has no such number, and ends with dom0.
     */
    char boot[HOST_BOOT_TEXT];
    bool xapi; /* see hypervisor-versions.h */

    /*
     * Fill in @t, which is not initialised.  nr_cpus is always the same, and
     * that of all maps.
     */
    int (*topology)(void *data, struct topology *t,
                    struct xensched_error *err);

    /*
     * Fill in @d, which is not initialised: nodes and SLIT; and @frames: about how
     * many the machine has.  NULL: there is no real machine, and no owners().
     */
    int (*memory)(void *data, struct distances *d, uint64_t *frames,
                  struct xensched_error *err);

    /*
     * Whose memory is where: looks at frames from *@at on, each @step-th, at most
     * HOST_OWNERS of them, and fills in @owners[] of those which a domain has.
     * Returns how many these are.  *@at is where to go on; 0: that was all.
     */
    int (*owners)(void *data, uint64_t *at, uint32_t step,
                  struct host_owner *owners, struct xensched_error *err);

    /*
     * Add all domains that exist, sorted by domid, to @domains, which is
     * empty.  Sets what struct domain has "from the host".  A domain that
     * cannot be looked at is left out, because it goes away or for another
     * reason, which is said: a domain that is missing may still be there.
     */
    int (*domains)(void *data, struct domains *domains,
                   struct xensched_error *err);

    /*
     * The same without vCPUs: domid, UUID, name, group, whether it is a driver domain, and
     * the guests that it serves.  It costs next to nothing; each vCPU costs two
     * hypercalls.
     */
    int (*list_domains)(void *data, struct domains *domains,
                        struct xensched_error *err);

    /*
     * Is there for certain no domain with this domid and UUID any more?  One
     * that is being destroyed is gone.
     */
    bool (*is_gone)(void *data, uint32_t domid, const char *uuid);

    /* @hard and @soft are initialised.  -ESRCH: domain or vCPU is gone. */
    int (*get_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err);
    /* NULL: leave that one as it is. */
    int (*set_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err);

    /*
     * How much a soft affinity weighs for the balancer of credit2 in cpupool 0, in
     * percent; 0: nothing.  -ENOENT: this Xen has no such parameter.  Setting it
     * changes every cpupool that has the same weight as cpupool 0.
     */
    int (*get_soft_weight)(void *data, uint32_t *percent,
                           struct xensched_error *err);
    int (*set_soft_weight)(void *data, uint32_t percent,
                           struct xensched_error *err);

    /*
     * Does the configuration which the domain was made from name an affinity?
     * 1 also when that cannot be told; -1: there is none yet, since xl stores it
     * when it has built the domain.
     */
    int (*names_affinity)(void *data, uint32_t domid);

    /*
     * The channels between @domid and other domains, sorted by its port, at most @nr;
     * returns how many.  NULL: this is not dom0.
     */
    unsigned int (*channels)(void *data, uint32_t domid,
                             struct host_channel *channels, unsigned int nr);

    /* Ports of @domid's that are for no device; 0: none. */
    void (*tool_ports)(void *data, uint32_t domid,
                       uint32_t ports[HOST_TOOL_PORTS]);

    /* Accounting domains are below this. */
    unsigned int nr_acct;

    /* Log the events of @domid under @acct from now on.  -ESRCH: gone. */
    int (*bind)(void *data, uint32_t domid, uint16_t acct,
                struct xensched_error *err);
    /* Events of @domid, if it still is, are logged under REST. */
    void (*unbind)(void *data, uint32_t domid);
    /* @acct stands for no domain any more. */
    void (*retire)(void *data, uint16_t acct);

    /* From now on every @threshold-th event of @acct is logged.  @acct is bound. */
    void (*set_threshold)(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold);

    /*
     * Turn the hypervisor's events on which were chosen, and hold the log for
     * @lease_ms from now, and from each sign of life; 0 when none was chosen:
     * then there is nothing to hold.  -EEXIST: another program holds it.
     */
    int (*log)(void *data, uint32_t lease_ms, struct xensched_error *err);
    /* Events which log() could not turn on, and has said why. */
    uint32_t refused;
    void (*alive)(void *data);

    int (*facts)(void *data, struct host_facts *facts,
                 struct xensched_error *err);
};

#endif /* XENSCHED_HOST_HOST_H */
