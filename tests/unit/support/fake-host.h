/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-host.h - a host under the test's control: 2 sockets (and nodes) of 2 cores each, pCPUs 0-1
 * and 2-3, and domains of up to 4 vCPUs.
 *
 * The whole host is one block of shared memory without pointers into it, so it outlives a child
 * process that plays a daemon and is killed.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include <xensched/abi.h>

#include "host/host.h"

#define FAKE_CPUS    4U
#define FAKE_DOMAINS 16U
#define FAKE_VCPUS   4U
#define FAKE_ACCTS   16U

/* Masks of pCPUs. */
#define FAKE_ALL    0xfU
#define FAKE_NODE_0 0x3U
#define FAKE_NODE_1 0xcU

/* Frames of each node, more than the daemon reads at once. */
#define FAKE_FRAMES (1U << 17)

struct fake_vcpu {
    uint32_t cpu;
    uint32_t hard, soft;
};

struct fake_domain {
    bool exists;
    bool unlisted; /* the domain cannot be read */
    bool driver;
    uint32_t clients; /* mask of the domids that it serves */
    int names_affinity;
    unsigned int asked; /* number of questions for the clients */
    bool never_ran; /* Xen reports that it never ran */
    uint64_t waited_ns; /* wait of each vCPU, as Xen counts it; 0: Xen does not report it */
    uint64_t offline_ns; /* time for which Xen did not let each vCPU run; 0: not reported */
    bool stays; /* its configuration excludes it from moves */
    bool soft_only; /* its configuration allows soft affinity only */
    bool logs; /* its configuration allows its log to be read */
    bool wants_steal; /* its configuration requests a report of its waits by domain */
    bool paused, stopped;
    char name[32];
    char group[32]; /* from its configuration */
    unsigned int uuid; /* last digits of its UUID */
    uint32_t pool;
    uint32_t pool_cpus;
    unsigned int nr_vcpus;
    struct fake_vcpu vcpus[FAKE_VCPUS];
    uint16_t acct; /* 0: not bound */
    uint32_t frames[2]; /* frames of its memory on each node */
};

struct fake_world {
    struct fake_domain domains[FAKE_DOMAINS]; /* [domid] */
    bool threads;           /* pCPUs 0-1 are one core, and so are 2-3 */
    uint32_t offline;       /* mask of offline pCPUs, which are in no cpupool */
    unsigned int nr_looks;  /* number of calls of domains() */
    unsigned int nr_sets;   /* number of successful calls of set_affinity() */
    uint32_t weight;        /* of a soft affinity */
    bool no_weight;         /* Xen lacks this parameter */
    bool fail_weight;       /* the parameter cannot be changed */
    unsigned int fail_call; /* this call of the actuator from now fails, 1: the next; 0: none */
    unsigned int fail_set;  /* this call from now fails, 1: the next; 0: none */
    int fail_code;          /* positive errno value */
    unsigned int nr_alive;  /* number of signs of life */
    uint32_t lease_ms;      /* of the log's holder; 0: none */
    bool logs_nothing;      /* no event of the hypervisor is chosen */
    uint32_t events;        /* events that are on */
    uint32_t routed;        /* mask of accounting domains */
    unsigned int nr_logs;   /* number of successful calls of log() */
    bool held;              /* another program holds the log */
    /* The latest threshold; 0: none. */
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS][FAKE_ACCTS];
    unsigned int owner_calls; /* number of calls of owners() */
    bool no_owners;         /* the host does not report owners of memory */
    /* Called before each change of an affinity; may be NULL. */
    void (*before_set)(void);
};

struct fake_host {
    struct host host;
    struct fake_world *world;
};

/* Makes a host with dom0, whose 2 vCPUs are bound to node 0, and no other domain. */
void fake_host_init(struct fake_host *f);
void fake_host_free(struct fake_host *f);

/* From now on the host reports where memory is: according to struct fake_domain.frames. */
void fake_host_tells_memory(struct fake_host *f);

/* Makes a domain with default affinity, on pCPU 2. */
struct fake_domain *fake_domain_new(struct fake_host *f, uint32_t domid,
                                    const char *name, unsigned int nr_vcpus);

/* Returns whether each vCPU has this soft affinity. */
bool fake_has_soft(const struct fake_domain *d, uint32_t soft);

/* Reads the host's domains as the daemon does.  The caller frees them. */
void fake_domains(struct fake_host *f, struct domains *domains);

/* Returns the number of lines in the file @path that contain @words. */
unsigned int lines_with(const char *path, const char *words);

#endif /* FAKE_HOST_H */
