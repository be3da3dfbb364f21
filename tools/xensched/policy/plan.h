/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - what is to be done with each domain, and why.
 */
#ifndef XENSCHED_POLICY_PLAN_H
#define XENSCHED_POLICY_PLAN_H

#include "lever.h"
#include "outcome.h"
#include "policy.h"

enum verb {
    LEAVE,     /* not to be touched */
    MOVE,      /* set the affinity to decision.soft */
    KEEP,      /* was moved, and stays there */
    GIVE_BACK, /* was moved, gets its original affinity again */
};

const char *verb_name(enum verb verb);

#define REASON_TEXT 1600

struct decision {
    uint32_t domid;
    enum verb verb;
    const char *policy; /* which decided; NULL: none */
    struct cpumap soft; /* with MOVE (and when given back); else no map */
    bool hard; /* with MOVE: hard affinity as well */
    bool follows; /* it goes with another domain, for which max_moves was asked */
    bool undo; /* with GIVE_BACK: since the move was of no use, or worse */
    char reason[REASON_TEXT];
    /* With KEEP: what else is to be done to keep it there, and why. */
    enum pull pull;
    char pull_why[LEVER_TEXT];
    /* What came of a move, when that is new; OUTCOME_NONE: nothing. */
    enum outcome_news news;
    char news_text[OUTCOME_TEXT];
    /* Evidence, as in struct opinion. */
    const struct domain *partner;
    double rate;
    double share;
    /*
     * Set by the code that carries the plan out: the verb, or with KEEP the pull, has happened.
     * See plan_done() in planner.h.
     */
    bool done;
};

/* One decision per domain, in the order of the domains. */
struct plan {
    unsigned int nr;
    struct decision *decisions;
};

/* All decisions are LEAVE without a reason. */
void plan_init(struct plan *plan, const struct domains *domains);
void plan_free(struct plan *plan);

/* Fill in verb and reason.  @format as for printf(3). */
void decide(struct decision *decision, enum verb verb, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* XENSCHED_POLICY_PLAN_H */
