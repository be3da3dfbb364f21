/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard-run.h - what the guard knows when opinions come: of each domain from
 * one run to the next, and in a run where it stands, what it needs and who
 * has taken what.  For guard.c alone; rules about opinions are there.
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
    double rate;               /* of talk, in the last one */
    bool moved;
    uint64_t moved_ns;         /* when it was seen at the place we chose */
    struct cpumap moved_to;    /* no map unless moved */
    uint64_t reason_ns;        /* when there was last a reason to be there */
    struct lever lever;
    struct outcome outcome;
    enum outcome_news news;    /* of this run */
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
    bool several;
    unsigned int nr;
    struct past *domains; /* sorted by domid */
    struct homes *homes;
    /* The present run. */
    const struct policy_input *input;
    struct plan *plan;
    struct standing *standing;
    struct demand *taken;       /* [place] */
    struct demand *cache_taken; /* [cache] */
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

/* The cores of each place that are open to @d, by its cpupool and its rule. */
const struct pool *guard_pool(struct guard *g, const struct domain *d);

/* No run before this one wanted it anywhere. */
void guard_forget_wish(struct past *past);

/* The domain with number @i is, or is going to be, there. */
void guard_send(struct guard *g, unsigned int i, struct spot spot);

#endif /* XENSCHED_POLICY_GUARD_RUN_H */
