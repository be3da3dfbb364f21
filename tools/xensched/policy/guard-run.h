/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard-run.h - what the guard knows when opinions come: of each domain from
 * one run to the next, and in a run where it stands, what it needs, and
 * what is taken.  For guard.c alone; rules about opinions are there.
 */
#ifndef XENSCHED_POLICY_GUARD_RUN_H
#define XENSCHED_POLICY_GUARD_RUN_H

#include "guard.h"

/* What is remembered of a domain from run to run. */
struct past {
    uint32_t domid;
    uint64_t since_ns;         /* of the domain; another one: another domain */
    unsigned int wanted;       /* place which the last runs wanted */
    unsigned int agreed;       /* so many of them, in a row */
    double gain;               /* ns/s, in the last one */
    bool moved;
    uint64_t moved_ns;         /* when it was seen at the place we chose */
    struct cpumap moved_to;    /* no map unless moved */
    uint64_t reason_ns;        /* when there was last a reason to be there */
    struct lever lever;
    struct outcome outcome;
    struct outcome_promise reservation; /* of the move that the plan has */
    /* Why the move is to be undone; OUTCOME_NONE: it is not.  Until that is done. */
    struct verdict undo;
    /* It waited too long at a place, to which it is not moved again. */
    unsigned int shunned;      /* UNKNOWN: none */
    uint64_t shunned_ns;       /* since when */
    unsigned int shuns;        /* so many times */
    bool shuns_all;            /* it did not help: to no other place either */
};

/* To count cores once for all domains of a cpupool. */
struct pool {
    struct cpumap cpus;
    unsigned int *cores;       /* [place] */
    unsigned int *cache_cores; /* [cache] */
};

struct guard {
    struct policy_settings settings;
    unsigned int nr;
    struct past *domains; /* sorted by domid */
    struct homes *homes;
    struct work_sums *sums;    /* when the present window began; NULL: none did */
    /* The present run. */
    const struct policy_input *input;
    struct plan *plan;
    struct standing *standing;
    unsigned int nr_cpupools;
    uint32_t *cpupools;         /* their ids; one more, which has none, is behind them */
    struct demand *taken;       /* [cpupool][place] */
    struct demand *cache_taken; /* [cpupool][cache] */
    double *busy;               /* [pCPU]; NULL: not asked for yet */
    unsigned int nr_pools;
    struct pool *pools;
};

/* A domain that a policy has an opinion about, in one run. */
struct candidate {
    struct guard *guard;
    const struct domain *domain;
    const struct opinion *opinion;
    struct past *past;
    struct standing *standing;
    struct decision *decision;
};

/* The number of the cpupool that has this id; nr_cpupools: no domain is in it. */
unsigned int guard_cpupool(const struct guard *g, uint32_t id);

/* What is taken by those of the same cpupool that have been sent there. */
struct demand *guard_taken(const struct guard *g, const struct standing *s,
                           struct spot spot);

/* The cores of each place that are open to @d, by its cpupool and its rule. */
const struct pool *guard_pool(struct guard *g, const struct domain *d);

/* How busy each pCPU is, added up once in a run. */
const double *guard_busy(struct guard *g);

/*
 * This run does not want the domain anywhere else, so the row of runs that agree ends.
 * A plan that a request causes neither counts in such a row nor ends it.
 */
void guard_end_row(const struct guard *g, struct past *past);

/* What was done with the domain, or what others did: is it where xensched sent it. */
void guard_follow(struct past *past, const struct domain *d, uint64_t now_ns);

/*
 * The place, and the cache of it, that a domain of AFFINITY_OURS was sent to.  A pCPU
 * that is offline, and so in no cpupool, is no reason to leave the others.
 */
struct spot guard_sent_to(const struct topology *t, const struct domain *d);

/* The domain with number @i is, or is going to be, there. */
void guard_send(struct guard *g, unsigned int i, struct spot spot);

#endif /* XENSCHED_POLICY_GUARD_RUN_H */
