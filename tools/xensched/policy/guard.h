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
 *   - A move is undone when its reason has been absent for long, and at once if the
 *     guest's work costs more at its place than before.
 *   - Soft affinity comes first; hard affinity only where there is room (lever.h).
 */
#ifndef XENSCHED_POLICY_GUARD_H
#define XENSCHED_POLICY_GUARD_H

#include "plan.h"

/*
 * After a domain has stopped communicating, its last events still count for a while, and their
 * partners are a matter of chance.  So a run confirms the run before it only if at least this
 * part of the gain is left.
 */
#define GUARD_GOES_ON 0.75

/*
 * A move that made a domain wait is not tried again for this time.  The time doubles with each
 * further such move, at most GUARD_SHUN_TIMES times.
 */
#define GUARD_SHUN_NS    600000000000ULL
#define GUARD_SHUN_TIMES 8

/* A second move that did not help counts as this number of moves. */
#define GUARD_REGRET_AGAIN 3

struct guard;

struct guard *guard_new(const struct policy_settings *settings);
/* Changes the settings; the state of domains stays. */
void guard_change(struct guard *guard, const struct policy_settings *settings);
void guard_free(struct guard *guard);

/* Begins a run, and fills in the members of @input that are "filled in by guard_begin()". */
void guard_begin(struct guard *guard, struct policy_input *input,
                 struct plan *plan);
/* Ends the run. */
void guard_decide(struct guard *guard, const struct opinion *opinions);

/*
 * Records the decisions of the plan that have been carried out; others have no outcome.  @input
 * has the domains as they are now.
 */
void guard_done(struct guard *guard, struct policy_input *input,
                const struct plan *plan);

/* Fills in the same members of @input again, as of the latest run. */
void guard_tell(struct guard *guard, struct policy_input *input);

/* Describes a guest that does not exist yet. */
struct arrival {
    /* Has its name, cpupool, rule and vCPUs only. */
    const struct domain *domain;
    struct demand demand;
    const struct demand *promised; /* [place]: reservations for other new guests */
};

/*
 * Returns whether the same constraints let the guest be where the opinion wants it.  Call this
 * after guard_decide(), with an input that guard_tell() has filled in.  True: the decision is
 * a MOVE.  False: its reason names the obstacle.
 */
bool guard_admits(struct guard *guard, const struct policy_input *input,
                  const struct arrival *arrival,
                  const struct opinion *opinion, struct decision *decision);

#endif /* XENSCHED_POLICY_GUARD_H */
