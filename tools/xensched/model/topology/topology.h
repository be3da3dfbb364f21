/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology.h - which pCPUs are near each other.
 *
 * A place is a set of pCPUs that share a memory controller: a NUMA node if the host has several,
 * else a socket.  Policies choose among places.  A socket can have several last-level caches (LLC);
 * then a place has parts, its caches, and a guest that moves to a place goes to the best of these
 * if it has room.  A spot is a core, a cache or all of a place.
 *
 * So two pCPUs share, from near to far: a core, an LLC, a place, or nothing.
 */
#ifndef XENSCHED_MODEL_TOPOLOGY_H
#define XENSCHED_MODEL_TOPOLOGY_H

#include <stdbool.h>

#include "base/cpumap.h"

/* For a pCPU id that is not online, and a pCPU without a known place. */
#define TOPOLOGY_UNKNOWN (~0U)

struct topology_cpu {
    bool online;
    unsigned int core, socket, node; /* core: unique within its socket */
    unsigned int place;              /* number, below nr_places */
    unsigned int llc;                /* unique within its socket; pCPUs of a socket that are
                                        UNKNOWN share one */
    unsigned int cache;              /* number, below nr_caches */
};

struct topology_place {
    const char *kind; /* "node" or "socket"; of a cache "LLC"; "core", or "pCPU" without threads */
    unsigned int id;  /* Xen's number; of an LLC or a core its number here */
    struct cpumap cpus;
    unsigned int within; /* of a cache: the number of its place */
};

/* A target for a guest: a core, a cache, or all of a place. */
struct spot {
    unsigned int place;
    unsigned int cache; /* TOPOLOGY_UNKNOWN: all of the place */
    unsigned int core;  /* number of a core in this cache, plus 1; 0: all of the cache */
};

/* All of a place; TOPOLOGY_UNKNOWN: nowhere. */
static inline struct spot spot_of_place(unsigned int place)
{
    return (struct spot){ .place = place, .cache = TOPOLOGY_UNKNOWN };
}

/* The source of the information which pCPUs share an LLC. */
enum topology_llc {
    LLC_NOT_SAID, /* none: each socket counts as one LLC */
    LLC_OF_HOST,
    LLC_NAMED,    /* an operator's list */
};

struct topology {
    unsigned int nr_cpus; /* pCPU ids are below this */
    struct topology_cpu *cpus;
    unsigned int nr_places;
    struct topology_place *places;
    /*
     * The parts of places that share an LLC.  These are the places themselves, with the same
     * numbers, unless a socket has several LLCs.
     */
    unsigned int nr_caches;
    struct topology_place *caches;
    unsigned int nr_cores;
    struct topology_place *cores; /* by their first pCPU; within: the number of the cache */
    enum topology_llc llc;
    bool shared_queues; /* pCPUs of a place share a run queue */
};

/* Sets all ids offline.  Fill in the pCPUs, then call topology_make_places(). */
void topology_init(struct topology *t, unsigned int nr_cpus);
void topology_make_places(struct topology *t);
void topology_free(struct topology *t);

/* The place of a pCPU, or TOPOLOGY_UNKNOWN. */
unsigned int topology_place_of(const struct topology *t, unsigned int cpu);

/* The place that contains all of @cpus, or TOPOLOGY_UNKNOWN. */
unsigned int topology_place_of_all(const struct topology *t,
                                   const struct cpumap *cpus);

/* The same for the cache. */
unsigned int topology_cache_of(const struct topology *t, unsigned int cpu);
unsigned int topology_cache_of_all(const struct topology *t,
                                   const struct cpumap *cpus);

/* The core that contains all of @cpus and is not all of a cache; else TOPOLOGY_UNKNOWN. */
unsigned int topology_core_of_all(const struct topology *t,
                                  const struct cpumap *cpus);

/* The cache that is the whole @place; TOPOLOGY_UNKNOWN: the place has several. */
unsigned int topology_only_cache(const struct topology *t, unsigned int place);

/* The pCPUs of a spot. */
const struct topology_place *topology_at(const struct topology *t,
                                         struct spot spot);

/* Do two threads of a core have different LLCs?  That is impossible. */
bool topology_llc_splits_core(const struct topology *t);

/* The number of cores of @cpus; threads of one core count once. */
unsigned int topology_cores(const struct topology *t,
                            const struct cpumap *cpus);

/* Numbers of online pCPUs, cores, last-level caches, sockets and nodes. */
struct topology_summary {
    unsigned int cpus, cores, llcs, sockets, nodes;
};
void topology_summarise(const struct topology *t,
                        struct topology_summary *summary);

#endif /* XENSCHED_MODEL_TOPOLOGY_H */
