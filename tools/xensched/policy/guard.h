/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - turns opinions into decisions, and applies the constraints:
 *
 *   - Driver domains are never moved, nor is a domain whose affinity an
 *     operator set, nor a new domain.
 *   - A domain gets only pCPUs of its own cpupool, and only if these have at least
 *     as many cores (not threads) as the domain has vCPUs.
 *   - Capacity comes before locality: a place that receives a guest has room (room.h).
 *   - Several runs in a row have to agree, and a domain that was moved stays for a
 *     while.  A move needs a stronger reason than a stay, so load around a
 *     threshold moves no domain back and forth.
 *   - A move waits if it has no room, or saves nothing, without moves that cannot happen now.
 *   - A move is undone when its reason has been absent for long, and at once if the
 *     guest's work costs more at its place than before.  That place is not tried again soon.
 *   - Soft affinity comes first; hard affinity only where there is room (lever.h).
 *
 * For the files of the planner alone: guard-run.c keeps the state of each domain from run to run
 * and finds where each one is, guard.c has the rules about opinions.
 */
#ifndef XENSCHED_POLICY_GUARD_H
#define XENSCHED_POLICY_GUARD_H

#include "planner.h"

/*
 * After a domain has stopped communicating, its last events still count for a while, and their
 * partners are a matter of chance.  So a run confirms the run before it only if at least this
 * part of the gain is left, or of the interactions, if these are most of the gain.
 */
#define GUARD_GOES_ON 0.75

/*
 * A move that made a domain wait is not tried again for this time.  The time doubles with each
 * further such move, at most GUARD_SHUN_TIMES times.  The same holds for cores that it left.
 */
#define GUARD_SHUN_NS    600000000000ULL
#define GUARD_SHUN_TIMES 8

/* A second move that did not help counts as this number of moves. */
#define GUARD_REGRET_AGAIN 3

/* The state of a domain that is kept from run to run. */
struct past {
    uint32_t domid;
    uint64_t since_ns;         /* when the domain began; a domid may be used again */
    unsigned int wanted;       /* place, or core beyond these, that the latest runs chose */
    unsigned int agreed;       /* number of these runs in a row */
    double gain, rate;         /* of the latest run: ns/s; interactions/s with the main partner */
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
    double waits_alone;        /* see struct guarded */
    bool at_core;              /* it was sent to the core of a back end */
    uint64_t left_core_ns;     /* when it last left one ... */
    unsigned int left_cores;   /* ... and how many times it did */
};

/* To count cores once for all domains of a cpupool. */
struct pool {
    struct cpumap cpus;
    unsigned int *cores; /* [cache] */
};

/* See planner.h. */
struct planner {
    struct policies policies;
    struct policy_settings settings;
    unsigned int nr;
    struct past *domains; /* sorted by domid */
    struct homes *homes;
    struct queueing queueing;
    struct work_sums *sums;    /* at the start of the current window; NULL: no window */
    uint64_t periodic_ns;      /* when the latest periodic plan was made; 0: none was */
    /* The current run. */
    const struct policy_input *input;
    struct plan *plan;
    struct guarded *guarded;
    unsigned int nr_cpupools;
    uint32_t *cpupools;         /* their ids, and a last entry for "no cpupool" */
    struct room room;           /* used by domains that are decided about */
    double *busy;               /* [pCPU]; NULL: not asked for yet */
    struct domain_exchange *exchanges; /* [domain]; NULL unless the host is real */
    unsigned int nr_pools;
    struct pool *pools;
};

/* A domain that the policy has an opinion about, in one run. */
struct candidate {
    struct planner *guard;
    const struct domain *domain;
    const struct opinion *opinion;
    struct past *past;
    struct guarded *guarded;
    struct decision *decision;
};

/* Begins a run, and fills in the members of @input that are "filled in by guard_begin()". */
void guard_begin(struct planner *g, struct policy_input *input, struct plan *plan);

/* Fills in the same members of @input again, as of the latest run. */
void guard_tell(struct planner *g, struct policy_input *input);

/*
 * Returns whether the constraints let a new guest be where the opinion wants it.  Call this
 * after plan_make(), with an input that guard_tell() has filled in.  True: the decision is
 * a MOVE.  False: its reason names the obstacle.
 */
bool guard_admits(struct planner *g, const struct policy_input *input,
                  const struct arrival *arrival,
                  const struct opinion *opinion, struct decision *decision);

/* The number of the cpupool that has this id; nr_cpupools: no domain is in it. */
unsigned int guard_cpupool(const struct planner *g, uint32_t id);

/* Returns the cores of each cache that the cpupool and the rule of @d allow. */
const unsigned int *guard_cores(struct planner *g, const struct domain *d);

/* Returns the busy share of each pCPU; computed once per run. */
const double *guard_busy(struct planner *g);

/* Returns the ns for which the domain is still not moved to the place that it shuns, or to any. */
uint64_t guard_shun_left(const struct past *m, uint64_t now_ns);

/*
 * Ends the series of runs that agree, because this run chooses no other place for the domain.
 * A plan that a request causes neither counts in such a series nor ends it.
 */
void guard_end_row(const struct planner *g, struct past *past);

/* Updates @past if xensched, or another program, has changed the affinity of @d. */
void guard_follow(struct past *past, const struct policy_input *input, const struct domain *d);

/* Returns the kind of affinity that the daemon may set for @d. */
enum affinity_lever guard_lever(const struct planner *g, const struct domain *d);

/*
 * Returns the place, and the cache in it, to which a domain of AFFINITY_OURS was sent.  A pCPU
 * that is offline, and so in no cpupool, does not change the result.
 */
struct spot guard_sent_to(const struct topology *t, const struct domain *d);

/* Counts domain @i at @spot: it is there, or the plan sends it there. */
void guard_send(struct planner *g, unsigned int i, struct spot spot);

#endif /* XENSCHED_POLICY_GUARD_H */
