/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - the daemon's interface to the host, as a set of functions.
 *
 * host-xen.c implements it for Xen; unit tests have a host that follows a script.  All other parts
 * of the daemon run without Xen.
 *
 * Functions that can fail return 0 or a negative errno value and fill in *err.  @data is struct
 * host.data.
 */
#ifndef XENSCHED_HOST_HOST_H
#define XENSCHED_HOST_HOST_H

#include <xensched/error.h>

#include "model/topology/distance.h"
#include "model/domain.h"
#include "model/topology/topology.h"

/* Facts about Xen for "xensched status". */
struct host_facts {
    unsigned int abi_version;
    uint32_t events_built;   /* mask of 1 << XEN_SCHEDLOG_EV_* */
    uint32_t events_enabled; /* likewise */
    unsigned int nr_sites;
    unsigned int pcpus;      /* with a log */
    uint64_t log_bytes;      /* memory of the hypervisor used for logs */
    uint32_t lease_ms;       /* 0: no program holds the log */
    uint32_t lease_left_ms;  /* until it ends, unless it is renewed */
    unsigned int nr_pmcs;    /* usable performance counters */
};

/* A frame of the machine that belongs to a domain. */
struct host_owner {
    uint16_t domid, node;
};

/* The number of frames that one call of owners() reads. */
#define HOST_OWNERS 4096U

/* An event channel from a domain to another one. */
struct host_channel {
    uint32_t port;
    uint32_t domid, remote_port; /* of the other end */
    unsigned int vcpu; /* the vCPU of the queried domain that is notified */
};

/* A guest's channels to the toolstack's programs: xenstore, console. */
#define HOST_TOOL_PORTS 2U

/* A boot of the host, in words; see struct host.boot. */
#define HOST_BOOT_TEXT 40

struct host {
    void *data;

    /*
     * Differs between any two boots of Xen; "": unknown.  It is the boot id of dom0's kernel: Xen
     * has no such number, and ends with dom0.
     */
    char boot[HOST_BOOT_TEXT];
    bool xapi; /* see hypervisor-versions.h */

    /* Fills in @t, which is not initialised.  nr_cpus, the size of all maps, never changes. */
    int (*topology)(void *data, struct topology *t,
                    struct xensched_error *err);

    /*
     * Fills in @d, which is not initialised, with nodes and SLIT, and @frames with about the
     * number of frames of the machine.  NULL: there is no real machine, and no owners().
     */
    int (*memory)(void *data, struct distances *d, uint64_t *frames,
                  struct xensched_error *err);

    /*
     * Reads every @step-th frame from *@at on, at most HOST_OWNERS of them, and fills in @owners[]
     * for the frames that belong to a domain.  Returns their number.  Sets *@at to the next frame
     * to read; 0: all have been read.
     */
    int (*owners)(void *data, uint64_t *at, uint32_t step,
                  struct host_owner *owners, struct xensched_error *err);

    /*
     * Adds all existing domains, sorted by domid, to @domains, which is empty, and sets the
     * members of struct domain that are "from the host".  Leaves out a domain that cannot be read,
     * because it is ending or for another reason, which is logged.  So a missing domain may still
     * exist.
     */
    int (*domains)(void *data, struct domains *domains,
                   struct xensched_error *err);

    /*
     * The same without vCPUs: domid, UUID, name, group, whether it is a driver domain, and the
     * guests that it serves.  It saves two hypercalls per vCPU.
     */
    int (*list_domains)(void *data, struct domains *domains,
                        struct xensched_error *err);

    /*
     * Has the domain with this domid and UUID ended for certain?  A domain that is being destroyed
     * has ended.
     */
    bool (*is_gone)(void *data, uint32_t domid, const char *uuid);

    /* @hard and @soft are initialised.  -ESRCH: there is no such domain or vCPU. */
    int (*get_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                        struct cpumap *hard, struct cpumap *soft,
                        struct xensched_error *err);
    /* NULL leaves the hard or the soft affinity as it is. */
    int (*set_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                        const struct cpumap *hard, const struct cpumap *soft,
                        struct xensched_error *err);

    /*
     * The weight of a soft affinity for the balancer of credit2 in cpupool 0, in percent; 0: none.
     * -ENOENT: this Xen has no such parameter.  Setting it changes every cpupool that has the same
     * weight as cpupool 0.
     */
    int (*get_soft_weight)(void *data, uint32_t *percent,
                           struct xensched_error *err);
    int (*set_soft_weight)(void *data, uint32_t percent,
                           struct xensched_error *err);

    /*
     * Does the domain's configuration name an affinity?  Returns 1 also if that is unknown, and -1
     * if there is no configuration yet: xl stores it after it has built the domain.
     */
    int (*names_affinity)(void *data, uint32_t domid);

    /*
     * Fills in the channels between @domid and other domains, sorted by port, at most @nr, and
     * returns their number.  NULL: the daemon does not run in dom0.
     */
    unsigned int (*channels)(void *data, uint32_t domid,
                             struct host_channel *channels, unsigned int nr);

    /* Ports of @domid that belong to no device; 0: none. */
    void (*tool_ports)(void *data, uint32_t domid,
                       uint32_t ports[HOST_TOOL_PORTS]);

    /* Accounting domains are below this. */
    unsigned int nr_acct;

    /* Logs the events of @domid under @acct from now on.  -ESRCH: there is no such domain. */
    int (*bind)(void *data, uint32_t domid, uint16_t acct,
                struct xensched_error *err);
    /* Logs the events of @domid, if it still exists, under REST. */
    void (*unbind)(void *data, uint32_t domid);
    /* Frees @acct, which has no domain now. */
    void (*retire)(void *data, uint16_t acct);

    /* Logs every @threshold-th event of @acct from now on.  @acct is bound. */
    void (*set_threshold)(void *data, uint16_t acct, unsigned int event,
                          uint32_t threshold);

    /*
     * Turns the hypervisor's chosen events on, and holds the log for @lease_ms from now and from
     * each call of alive(); with 0, if no event was chosen, it holds nothing.  -EEXIST: another
     * program holds the log.
     */
    int (*log)(void *data, uint32_t lease_ms, struct xensched_error *err);
    /* Events that log() could not turn on; it has logged the reason. */
    uint32_t refused;
    void (*alive)(void *data);

    int (*facts)(void *data, struct host_facts *facts,
                 struct xensched_error *err);
};

#endif /* XENSCHED_HOST_HOST_H */
