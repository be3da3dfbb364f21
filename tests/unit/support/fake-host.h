/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-host.h - a host that does what a test says: 2 sockets (and nodes) of 2
 * cores each, pCPUs 0-1 and 2-3, and domains of up to 4 vCPUs.
 *
 * The whole host is one piece of shared memory without pointers into it, so
 * that it outlives a child process which plays a daemon that is killed.
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

/* Frames of each node; more than one run of the daemon reads. */
#define FAKE_FRAMES (1U << 17)

struct fake_vcpu {
    uint32_t cpu;
    uint32_t hard, soft;
};

struct fake_domain {
    bool exists;
    bool unlisted; /* it cannot be read */
    bool driver;
    uint32_t clients; /* mask of domids of those which it serves */
    int names_affinity;
    unsigned int asked; /* how often for that */
    bool never_ran; /* that is known */
    uint64_t waited_ns; /* each vCPU, as Xen counts it; 0: Xen does not tell */
    uint64_t offline_ns; /* likewise */
    bool stays; /* so its configuration */
    bool soft_only; /* likewise */
    bool logs; /* likewise: its log may be read */
    bool wants_steal; /* likewise: it is told for which domains it waits */
    bool paused, stopped;
    char name[32];
    char group[32]; /* so its configuration */
    unsigned int uuid; /* the last digits of it */
    uint32_t pool;
    uint32_t pool_cpus;
    unsigned int nr_vcpus;
    struct fake_vcpu vcpus[FAKE_VCPUS];
    uint16_t acct; /* 0: not bound */
    uint32_t frames[2]; /* its memory on each node */
};

struct fake_world {
    struct fake_domain domains[FAKE_DOMAINS]; /* [domid] */
    bool threads;           /* pCPUs 0-1 are one core, and so are 2-3 */
    uint32_t offline;       /* mask of pCPUs, which are then in no cpupool */
    unsigned int nr_looks;  /* calls of domains() */
    unsigned int nr_sets;   /* calls of set_affinity() that did it */
    uint32_t weight;        /* of a soft affinity */
    bool no_weight;         /* there is none */
    bool fail_weight;       /* it cannot be changed */
    unsigned int fail_call; /* of all that the actuator asks; likewise */
    unsigned int fail_set;  /* this call from now fails, 1: the next; 0: none */
    int fail_code;          /* positive errno value */
    unsigned int nr_alive;  /* signs of life */
    uint32_t lease_ms;      /* of the log's holder; 0: none */
    uint32_t events;        /* that are on */
    uint32_t routed;        /* mask of accounting domains */
    unsigned int nr_logs;   /* calls of log() that did it */
    bool held;              /* by another program */
    /* Which was set last; 0: none. */
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS][FAKE_ACCTS];
    unsigned int owner_calls; /* of owners() */
    bool no_owners;         /* it does not tell */
    /* Called before each change of an affinity; NULL: not. */
    void (*before_set)(void);
};

struct fake_host {
    struct host host;
    struct fake_world *world;
};

/* dom0 with 2 vCPUs bound to node 0, and nothing else. */
void fake_host_init(struct fake_host *f);
void fake_host_free(struct fake_host *f);

/* It tells where memory is from now on: by struct fake_domain.frames. */
void fake_host_tells_memory(struct fake_host *f);

/* A new domain with default affinity on pCPU 2. */
struct fake_domain *fake_domain_new(struct fake_host *f, uint32_t domid,
                                    const char *name, unsigned int nr_vcpus);

/* Does each vCPU have this soft affinity? */
bool fake_has_soft(const struct fake_domain *d, uint32_t soft);

/* The host's domains, as the daemon gets them; to be freed. */
void fake_domains(struct fake_host *f, struct domains *domains);

/* Lines of the file @path that contain @words. */
unsigned int lines_with(const char *path, const char *words);

#endif /* FAKE_HOST_H */
