/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy-world.h - a host of up to 64 pCPUs, made of numbers only.  Its guests do the same all the
 * time, and its plans are carried out.  For tests of policies.
 */
#ifndef POLICY_WORLD_H
#define POLICY_WORLD_H

#include "policy-defaults.h"
#include "policy/planner.h"

#define WORLD_DOMAINS 40U
#define WORLD_SECOND  1000000000ULL

struct world_domain {
    bool driver, operators, ours;
    bool unnumbered;           /* it has no accounting domain: there are too many domains */
    unsigned int group;        /* 0: in none */
    unsigned int nr_vcpus;
    uint64_t pool, hard, soft; /* pCPUs; pool: 0 is all */
    unsigned int cpu;          /* pCPU on which it runs */
    double use;                /* demand in pCPUs */
    double misses;             /* per second */
    double talk[WORLD_DOMAINS]; /* notifications per second to each domain */
    unsigned int memory, on_1; /* in 100 pages; percent of it on node 1 */
    bool soft_only;
    bool waits_its_turn;       /* as with max_moves */
    unsigned int stub_of;      /* the domain whose device model it is; 0: none */
    /* dom0: bit v: its vCPU v, which is kept on place v then, serves this domain. */
    unsigned int served_by;
    /* s of pCPU time that each notification takes more while dom0 is elsewhere. */
    double far_costs;
    double wakes, migrations;  /* per second; 0 wakes: unknown */
    double queues;             /* vCPUs that wait by chance, as Xen counts them */
    double idled;              /* part of its waits while the pCPU idled */
    double waits, waits_there; /* for a pCPU, in s per second; at its target */
    /* The effects of plans. */
    unsigned int moves, backs;
    unsigned int pulls[PULL_SOFTEN + 1]; /* number of each */
    enum outcome_news news;    /* the latest outcome that was any */
    bool is_hard;              /* the daemon has set its hard affinity */
    struct decision decision;  /* the latest one; without map, and with domains that are gone */
    char reason[REASON_TEXT];
    uint64_t sent;             /* soft affinity of the latest MOVE */
};

struct world {
    struct topology topology;
    struct matrix *matrix;
    struct planner *planner;
    uint64_t now, all;
    unsigned int nr;
    struct world_domain domains[WORLD_DOMAINS];
    const struct distances *distances; /* NULL: those of any host */
    const struct rules *rules; /* NULL: none */
    struct learned *learned;   /* NULL: none */
    double noise; /* part by which load goes up and down */
    uint64_t seed;
    bool real;      /* the policy observes the effects of plans */
    bool deaf;      /* a soft affinity has no effect */
    bool only_plans; /* no plan is carried out */
    /* Called for each decision before it is carried out. */
    void (*check)(const struct decision *decision);
};

extern struct world world;

/* Domain 0 is dom0, 2 vCPUs bound to the first 2 pCPUs. */
void world_begin(const char *policies, const struct policy_settings *settings,
                 unsigned int places, unsigned int cores,
                 unsigned int threads);
/* The same, with NUMA nodes. */
void world_begin_nodes(const char *policies,
                       const struct policy_settings *settings,
                       unsigned int nodes, unsigned int cores);
/* The same, with @llcs LLCs in each place, of equal numbers of cores. */
void world_begin_with_llcs(const char *policies,
                           const struct policy_settings *settings,
                           unsigned int places, unsigned int llcs,
                           unsigned int cores, unsigned int threads);
/* Makes each socket a NUMA node. */
void world_make_nodes(void);
void world_end(void);

unsigned int world_guest(unsigned int nr_vcpus, double use);

/* Returns the sum of demands at a place. */
double world_units(unsigned int place);

/* Sets the rate of both directions together. */
void world_talk(unsigned int a, unsigned int b, double per_second);

/* Lets 20 s pass without a plan, so that rates reach their final values. */
void world_warm_up(void);

/* Makes a plan every second, and carries it out. */
void world_run(unsigned int seconds);

/* Returns the number of moves of all domains since the beginning. */
unsigned int world_moves(void);

/* Fails unless the latest reason about the domain has @words. */
void world_says(unsigned int domid, const char *words);

uint64_t world_cpus(const struct topology_place *place);

/* Returns the place that contains the whole mask, or TOPOLOGY_UNKNOWN. */
unsigned int world_place(uint64_t cpus);

/* Returns the LLC that contains the whole mask, or the only one of its place. */
unsigned int world_llc(uint64_t cpus);

#endif /* POLICY_WORLD_H */
