/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - makes decisions of opinions, and holds whatever a policy thinks:
 *
 *   - Driver domains are never moved, nor is a domain whose affinity an
 *     operator set, nor one that is new.
 *   - Only pCPUs of the domain's own cpupool, and only if they have at least
 *     as many cores (not threads) as the domain has vCPUs.
 *   - Contention breaks locality: what is sent to a place needs no more of
 *     pCPUs, by measured service time, than it has cores.
 *   - Whoever goes to a place with several last-level caches (LLC) goes to one
 *     of those, if it has room: that of whom it is to be beside, else another
 *     one of the place.  Then the whole place.
 *   - Several runs in a row have to come to the same result, and a domain that
 *     was moved stays for a while.  To be moved it takes more than to stay, so
 *     load that goes up and down around a threshold moves nothing to and fro.
 *   - What has had no reason for long is given back.
 *
 * Each rule comes from somebody who was hurt by its absence.
 */
#ifndef XENSCHED_POLICY_GUARD_H
#define XENSCHED_POLICY_GUARD_H

#include "plan.h"

/*
 * A place is full for who wants to go there, and for who wants to stay, when
 * more than its cores times this is needed.  More than 1, since domains which
 * talk to each other wait for each other, and soft affinity lets a vCPU run
 * elsewhere when there is no room.
 */
#define GUARD_ROOM_TO_GO   1.25
#define GUARD_ROOM_TO_STAY 1.5

/*
 * A domain which stops talking is known by its last words for a while, and
 * with whom most of them were is chance.  So a run confirms the one before it
 * only if at least so much of the rate is left.
 */
#define GUARD_GOES_ON 0.75

struct guard;

/* @several: reasons name the policy that they are of. */
struct guard *guard_new(const struct policy_settings *settings, bool several);
/* Other settings; what is remembered of domains stays. */
void guard_change(struct guard *guard, const struct policy_settings *settings,
                  bool several);
void guard_free(struct guard *guard);

/* One run: fills in what policies get to see beside @input. */
void guard_begin(struct guard *guard, struct policy_input *input,
                 struct plan *plan);
void guard_take(struct guard *guard, const char *policy,
                const struct opinion *opinions);
/* About those of whom no policy has decided. */
void guard_end(struct guard *guard);

/*
 * The place where most of a domain's vCPUs are: a vCPU is where its hard
 * affinity binds it, or else its soft affinity, or else, if @running, where it
 * runs.  TOPOLOGY_UNKNOWN: no place has more than half of them.
 */
struct whereabouts {
    unsigned int place;
    unsigned int there; /* vCPUs */
    unsigned int online;
};

struct whereabouts guard_find(const struct topology *t,
                              const struct domain *d, bool running);

/* The same, for caches: .place is the number of one. */
struct whereabouts guard_find_cache(const struct topology *t,
                                    const struct domain *d, bool running);

#endif /* XENSCHED_POLICY_GUARD_H */
