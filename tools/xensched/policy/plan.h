/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - what is to be done with each domain, and why.
 */
#ifndef XENSCHED_POLICY_PLAN_H
#define XENSCHED_POLICY_PLAN_H

#include "lever.h"
#include "outcome.h"
#include "reason.h"

enum verb {
    LEAVE,     /* not to be touched */
    MOVE,      /* set the affinity to decision.soft */
    KEEP,      /* was moved, and stays there */
    GIVE_BACK, /* was moved, gets its original affinity again */
};

const char *verb_name(enum verb verb);

struct decision {
    uint32_t domid;
    enum verb verb;
    const char *policy; /* which decided; NULL: none */
    struct cpumap soft; /* with MOVE (and when given back); else no map */
    bool hard; /* with MOVE: hard affinity as well */
    bool follows; /* it goes with another domain, for which max_moves was asked */
    struct reason reason;
    struct opinion opinion; /* that the reason is about; with its evidence */
    unsigned int put_off;   /* moves in the last minute that delay this one; 0: none do */
    /* With KEEP: what else is to be done to keep it there, and why. */
    enum pull pull;
    struct pull_reason pull_reason;
    /* A new result of a move; OUTCOME_NONE: there is none. */
    enum outcome_news news;
    struct verdict verdict; /* the news, or with REASON_UNDONE why */
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

/* Fill in verb and reason. */
void decide(struct decision *decision, enum verb verb, struct reason reason);
/* The decision about a domain that its configuration or an operator holds. */
void decide_held(struct decision *decision, const struct domain *d);

/* Returns the code of the decision's reason, or of the grounds of its opinion: "no-capacity". */
const char *reason_name(const struct decision *decision);

/*
 * Write the sentences that status, plan, explain, place and the journal show; no other code of
 * policy/ writes such sentences.  The text is "" if there is no reason.
 */
#define REASON_TEXT 1600
/* Why the decision about @d is as it is.  @t: the topology with which it was made. */
void reason_text(const struct decision *decision, const struct domain *d,
                 const struct topology *t, char text[REASON_TEXT]);
void verdict_text(const struct verdict *verdict, char text[REASON_TEXT]);
void pull_text(const struct pull_reason *reason, char text[REASON_TEXT]);

#endif /* XENSCHED_POLICY_PLAN_H */
