/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - a policy turns what is known into a plan.
 *
 * A policy sees numbers and names, nothing else: no Xen, no clock, no files.
 * The same input after the same past gives the same plan.  It may remember
 * what it saw before, and it has to: a plan that follows each wave of the
 * load is worse than none.
 *
 * It decides about every domain, also about those which it leaves alone, and
 * says why, in words and in numbers.  Whether a plan is carried out is not its
 * business; it learns of it through struct domain.affinity.
 *
 * A new policy is one file with a struct policy and a row in policy.c.
 */
#ifndef XENSCHED_POLICY_H
#define XENSCHED_POLICY_H

#include "../model/domain.h"
#include "../model/matrix.h"
#include "../model/topology.h"

struct policy_input {
    const struct matrix *matrix;
    const struct topology *topology;
    const struct domains *domains;
    uint64_t now_ns;
};

enum verb {
    LEAVE,     /* not to be touched */
    MOVE,      /* set soft affinity to decision.soft */
    KEEP,      /* was moved, and stays there */
    GIVE_BACK, /* was moved, gets its original affinity again */
};

const char *verb_name(enum verb verb);

#define REASON_TEXT 400

struct decision {
    uint32_t domid;
    enum verb verb;
    struct cpumap soft; /* with MOVE (and when given back); else no map */
    char reason[REASON_TEXT];
    /* Evidence; partner is NULL when there is none. */
    const struct domain *partner; /* whom it talks to most, of input.domains */
    double rate;                  /* interactions per second with it */
    double share;                 /* of all interactions, 0 ... 1 */
    /* By who carries the plan out; a policy neither sets nor reads it. */
    bool done;
};

/* One decision per domain, in the order of input.domains. */
struct plan {
    unsigned int nr;
    struct decision *decisions;
};

void plan_init(struct plan *plan, const struct domains *domains);
void plan_free(struct plan *plan);

/* Fill in verb and reason.  @format as for printf(3). */
void decide(struct decision *decision, enum verb verb, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What an operator can set; see docs/matrix-and-policy.md. */
struct policy_settings {
    double share;         /* of all interactions that is "mostly", 0 ... 1 */
    double min_rate;      /* interactions per second below which: leave */
    unsigned int confirm; /* so many runs in a row have to agree */
    uint64_t settle_ns;   /* a domain is left alone when it is this new */
    uint64_t stay_ns;     /* between two moves of a domain */
    uint64_t quiet_ns;    /* without reason for so long: give back */
};

extern const struct policy_settings policy_defaults;

struct policy {
    const char *name;
    void *(*create)(const struct policy_settings *settings);
    /* @plan is initialised; all decisions are LEAVE without a reason. */
    void (*run)(void *memory, const struct policy_input *input,
                struct plan *plan);
    void (*destroy)(void *memory);
};

extern const struct policy policy_driver_affinity;

/* NULL: there is none of this name.  policy_find(NULL) is the default. */
const struct policy *policy_find(const char *name);

#endif /* XENSCHED_POLICY_H */
