/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology.h - which pCPUs are near each other.
 *
 * A place is a set of pCPUs which share a memory controller and the last
 * cache: a NUMA node where the host has more than one, else a socket.  Places
 * are what policies think in.
 */
#ifndef XENSCHED_MODEL_TOPOLOGY_H
#define XENSCHED_MODEL_TOPOLOGY_H

#include <stdbool.h>

#include "cpumap.h"

/* Of a pCPU id which is not online, and of a pCPU without a known place. */
#define TOPOLOGY_UNKNOWN (~0U)

struct topology_cpu {
    bool online;
    unsigned int core, socket, node; /* core: unique within its socket */
    unsigned int place;              /* number, below nr_places */
};

struct topology_place {
    const char *kind; /* "node" or "socket" */
    unsigned int id;  /* Xen's number of it */
    struct cpumap cpus;
};

struct topology {
    unsigned int nr_cpus; /* pCPU ids are below this */
    struct topology_cpu *cpus;
    unsigned int nr_places;
    struct topology_place *places;
    bool shared_queues; /* pCPUs of a place share a run queue */
};

/* All ids offline.  To be filled in, then topology_make_places(). */
void topology_init(struct topology *t, unsigned int nr_cpus);
void topology_make_places(struct topology *t);
void topology_free(struct topology *t);

/* The place of a pCPU, or TOPOLOGY_UNKNOWN. */
unsigned int topology_place_of(const struct topology *t, unsigned int cpu);

/* The place which all of @cpus are in, or TOPOLOGY_UNKNOWN. */
unsigned int topology_place_of_all(const struct topology *t,
                                   const struct cpumap *cpus);

/* How many cores @cpus are; threads of one core count once. */
unsigned int topology_cores(const struct topology *t,
                            const struct cpumap *cpus);

/* Numbers of online pCPUs, cores, sockets and nodes. */
struct topology_summary {
    unsigned int cpus, cores, sockets, nodes;
};
void topology_summarise(const struct topology *t,
                        struct topology_summary *summary);

#endif /* XENSCHED_MODEL_TOPOLOGY_H */
