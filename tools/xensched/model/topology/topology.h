/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology.h - which pCPUs are near each other.
 *
 * A place is a set of pCPUs which share a memory controller: a NUMA node where
 * the host has more than one, else a socket.  Places are what policies think
 * in.  A socket can have several last-level caches (LLC); then a place has
 * parts, its caches, and a guest that goes to a place goes to the best of those,
 * if it has room there.  A spot is one or the other: a cache, or all of a place.
 *
 * So of two pCPUs, from near to far: one core, one LLC, one place, or neither.
 */
#ifndef XENSCHED_MODEL_TOPOLOGY_H
#define XENSCHED_MODEL_TOPOLOGY_H

#include <stdbool.h>

#include "base/cpumap.h"

/* Of a pCPU id which is not online, and of a pCPU without a known place. */
#define TOPOLOGY_UNKNOWN (~0U)

struct topology_cpu {
    bool online;
    unsigned int core, socket, node; /* core: unique within its socket */
    unsigned int place;              /* number, below nr_places */
    unsigned int llc;                /* unique within its socket; those of a
                                        socket that are UNKNOWN share one */
    unsigned int cache;              /* number, below nr_caches */
};

struct topology_place {
    const char *kind; /* "node" or "socket"; of a part "LLC" */
    unsigned int id;  /* Xen's number of it; of an LLC its number here */
    struct cpumap cpus;
    unsigned int within; /* of a cache: the number of its place */
};

/* Where a guest can be sent: a cache, or all of a place. */
struct spot {
    unsigned int place;
    unsigned int cache; /* TOPOLOGY_UNKNOWN: all of the place */
};

/* Where the pCPUs that share an LLC are known from. */
enum topology_llc {
    LLC_NOT_SAID, /* nowhere: it is taken to be the socket's */
    LLC_OF_HOST,
    LLC_NAMED,    /* an operator */
};

struct topology {
    unsigned int nr_cpus; /* pCPU ids are below this */
    struct topology_cpu *cpus;
    unsigned int nr_places;
    struct topology_place *places;
    /*
     * The parts of places which share an LLC.  The places themselves, by the
     * same numbers, unless a socket has several.
     */
    unsigned int nr_caches;
    struct topology_place *caches;
    enum topology_llc llc;
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

/* Likewise, the cache. */
unsigned int topology_cache_of(const struct topology *t, unsigned int cpu);
unsigned int topology_cache_of_all(const struct topology *t,
                                   const struct cpumap *cpus);

/* The cache that is all of @place; TOPOLOGY_UNKNOWN: the place has several. */
unsigned int topology_only_cache(const struct topology *t, unsigned int place);

/* The pCPUs that a spot is. */
const struct topology_place *topology_at(const struct topology *t,
                                         struct spot spot);

/* Do two threads of a core have different LLCs?  Then something is wrong. */
bool topology_llc_splits_core(const struct topology *t);

/* How many cores @cpus are; threads of one core count once. */
unsigned int topology_cores(const struct topology *t,
                            const struct cpumap *cpus);

/* Numbers of online pCPUs, cores, last-level caches, sockets and nodes. */
struct topology_summary {
    unsigned int cpus, cores, llcs, sockets, nodes;
};
void topology_summarise(const struct topology *t,
                        struct topology_summary *summary);

#endif /* XENSCHED_MODEL_TOPOLOGY_H */
