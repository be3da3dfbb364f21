/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - makes decisions of opinions, and applies the constraints:
 *
 *   - Driver domains are never moved, nor is a domain whose affinity an
 *     operator set, nor one that is new.
 *   - Only pCPUs of the domain's own cpupool, and only if they have at least
 *     as many cores (not threads) as the domain has vCPUs.
 *   - Contention breaks locality: a guest that is sent to a place finds room (room.h).
 *   - Several runs in a row have to come to the same result, and a domain that
 *     was moved stays for a while.  To be moved it takes more than to stay, so
 *     load around a threshold moves nothing back and forth.
 *   - A move that has had no reason for long is undone; at once, if the guest's work
 *     costs more at its place than before.
 *   - Soft affinity first; hard affinity only where there is room (lever.h).
 *
 * Each rule comes from a host that its absence has hurt.
 */
#ifndef XENSCHED_POLICY_GUARD_H
#define XENSCHED_POLICY_GUARD_H

#include "plan.h"

/*
 * A domain that stops communicating is known by its last events for a while, and
 * most of these are with one domain or another by chance.  So a run confirms the one before it
 * only if at least so much of the gain is left.
 */
#define GUARD_GOES_ON 0.75

/*
 * A move that made a domain wait is not tried again for so long, the next time
 * for twice as long, and so on, so many times.
 */
#define GUARD_SHUN_NS    600000000000ULL
#define GUARD_SHUN_TIMES 8

/* A second move that did not help counts as so many. */
#define GUARD_REGRET_AGAIN 3

struct guard;

struct guard *guard_new(const struct policy_settings *settings);
/* Other settings; what is remembered of domains stays. */
void guard_change(struct guard *guard, const struct policy_settings *settings);
void guard_free(struct guard *guard);

/* One run: fills in what the policy gets to see beside @input. */
void guard_begin(struct guard *guard, struct policy_input *input,
                 struct plan *plan);
/* Ends the run. */
void guard_decide(struct guard *guard, const struct opinion *opinions);

/*
 * What was carried out of the plan: its decisions that are done.  What was only
 * decided has no outcome.  @input has the domains as they are now.
 */
void guard_done(struct guard *guard, struct policy_input *input,
                const struct plan *plan);

/* Fill in what the policy gets to see once more, as of the latest run. */
void guard_tell(const struct guard *guard, struct policy_input *input);

/* A guest that is not there yet. */
struct arrival {
    /* Its name, cpupool, rule and vCPUs; nothing else is known of it. */
    const struct domain *domain;
    struct demand demand;
    const struct demand *promised; /* [place]: to others like it */
};

/*
 * May it be where the opinion wants it, by the same rules?  After guard_decide(),
 * with an input that guard_tell() has filled in.  True: the decision is a
 * MOVE.  False: its reason names the obstacle.
 */
bool guard_admits(struct guard *guard, const struct policy_input *input,
                  const struct arrival *arrival,
                  const struct opinion *opinion, struct decision *decision);

#endif /* XENSCHED_POLICY_GUARD_H */
