/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - declares decisions: the action for each domain, and its reason.
 */
#ifndef XENSCHED_POLICY_PLAN_H
#define XENSCHED_POLICY_PLAN_H

#include "lever.h"
#include "outcome.h"
#include "reason.h"

enum verb {
    LEAVE,     /* change nothing */
    MOVE,      /* set the affinity to decision.soft */
    KEEP,      /* was moved, stays there */
    GIVE_BACK, /* was moved, its original affinity is restored */
};

const char *verb_name(enum verb verb);

struct decision {
    uint32_t domid;
    enum verb verb;
    const char *policy; /* that decided; NULL: none */
    struct cpumap soft; /* with MOVE (and when restored); else no map */
    bool hard; /* with MOVE: hard affinity as well */
    bool follows; /* it moves with another domain, which max_moves counts */
    struct reason reason;
    struct opinion opinion; /* that the reason is about; with its evidence */
    unsigned int put_off;   /* moves in the last minute that delay this one; 0: none do */
    /* With KEEP: the change of the affinity that keeps it there, and the reason. */
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
/* Decides about a domain that its configuration or an operator holds. */
void decide_held(struct decision *decision, const struct domain *d);

/* Returns the code of the decision's reason, or of the grounds of its opinion: "no-capacity". */
const char *reason_name(const struct decision *decision);

/*
 * Write the sentences that status, plan, explain, place and the journal show; no other code of
 * policy/ writes such sentences.  The text is "" if there is no reason.
 */
#define REASON_TEXT 1600
/* The reason for the decision about @d.  @t: the topology with which it was made. */
void reason_text(const struct decision *decision, const struct domain *d,
                 const struct topology *t, char text[REASON_TEXT]);
void verdict_text(const struct verdict *verdict, char text[REASON_TEXT]);
void pull_text(const struct pull_reason *reason, char text[REASON_TEXT]);

#endif /* XENSCHED_POLICY_PLAN_H */
