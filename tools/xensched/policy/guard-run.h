/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard-run.h - keeps the guard's state of each domain from run to run, and computes for one run
 * where each domain is, its demand, and the capacity in use.  For guard.c alone, which has the
 * rules about opinions.
 */
#ifndef XENSCHED_POLICY_GUARD_RUN_H
#define XENSCHED_POLICY_GUARD_RUN_H

#include "guard.h"

/* The state of a domain that is kept from run to run. */
struct past {
    uint32_t domid;
    uint64_t since_ns;         /* when the domain began; a domid may be used again */
    unsigned int wanted;       /* place that the latest runs chose */
    unsigned int agreed;       /* number of these runs in a row */
    double gain;               /* ns/s, in the latest run */
    bool moved;
    uint64_t moved_ns;         /* when it was first found at the chosen place */
    struct cpumap moved_to;    /* no map: not moved */
    uint64_t reason_ns;        /* when it last had a reason to be there */
    struct lever lever;
    struct outcome outcome;
    struct outcome_promise reservation; /* of the move that the plan has */
    /* Why the move has to be undone, until it is undone; OUTCOME_NONE: it stays. */
    struct verdict undo;
    /* A place at which the domain waited too long, so it is not moved there again. */
    unsigned int shunned;      /* UNKNOWN: none */
    uint64_t shunned_ns;       /* since when */
    unsigned int shuns;        /* number of times */
    bool shuns_all;            /* a move did not help, so no place is tried */
};

/* To count cores once for all domains of a cpupool. */
struct pool {
    struct cpumap cpus;
    unsigned int *cores; /* [cache] */
};

struct guard {
    struct policy_settings settings;
    unsigned int nr;
    struct past *domains; /* sorted by domid */
    struct homes *homes;
    struct queueing queueing;
    struct work_sums *sums;    /* at the start of the current window; NULL: no window */
    /* The current run. */
    const struct policy_input *input;
    struct plan *plan;
    struct standing *standing;
    unsigned int nr_cpupools;
    uint32_t *cpupools;         /* their ids, and a last entry for "no cpupool" */
    struct room room;           /* used by domains that are decided about */
    double *busy;               /* [pCPU]; NULL: not asked for yet */
    struct domain_exchange *exchanges; /* [domain]; NULL unless the host is real */
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

/* Returns the cores of each cache that the cpupool and the rule of @d allow. */
const unsigned int *guard_cores(struct guard *g, const struct domain *d);

/* Returns the busy share of each pCPU; computed once per run. */
const double *guard_busy(struct guard *g);

/*
 * Ends the series of runs that agree, because this run chooses no other place for the domain.
 * A plan that a request causes neither counts in such a series nor ends it.
 */
void guard_end_row(const struct guard *g, struct past *past);

/* Updates @past if xensched, or another program, has changed the affinity of @d. */
void guard_follow(struct past *past, const struct domain *d, uint64_t now_ns);

/*
 * Returns the place, and the cache in it, to which a domain of AFFINITY_OURS was sent.  A pCPU
 * that is offline, and so in no cpupool, does not change the result.
 */
struct spot guard_sent_to(const struct topology *t, const struct domain *d);

/* Counts domain @i at @spot: it is there, or the plan sends it there. */
void guard_send(struct guard *g, unsigned int i, struct spot spot);

#endif /* XENSCHED_POLICY_GUARD_RUN_H */
