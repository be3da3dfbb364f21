/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * move-limits.h - what limits moves, whatever a plan contains: domains that stay where they are,
 * and a bound on changes of affinities per minute.
 *
 * The configuration of a domain can hold it (vm_affinity in xl.cfg), and so can an operator at
 * run time.  Held domains are known by their UUIDs, so a domain is still held after it was booted
 * again.  The set is part of the state file: a daemon that is started again has it.  Plans are
 * made with it, so a held domain takes no place from others.
 *
 * The bound keeps a host usable even if everything else fails.
 */
#ifndef XENSCHED_DAEMON_ACT_MOVE_LIMITS_H
#define XENSCHED_DAEMON_ACT_MOVE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/plan.h"

struct held {
    unsigned int nr;
    char (*uuid)[DOMAIN_UUID_TEXT];
};

void held_free(struct held *held);

bool held_has(const struct held *held, const char *uuid);

/* It makes no difference whether it was held before. */
void held_add(struct held *held, const char *uuid);
void held_remove(struct held *held, const char *uuid);

/* Is it held by an operator or by its configuration? */
bool held_is(const struct held *held, const struct domain *d);

/* Removes moves of held domains from the present plan; the next one does not contain any. */
void held_apply(const struct held *held, const struct domains *domains,
                struct plan *plan);

/* The highest bound, in changes per minute. */
#define PACE_MAX 1000U

#define PACE_MINUTE_NS 60000000000ULL

struct pace {
    unsigned int nr;          /* number of all changes */
    uint64_t at_ns[PACE_MAX]; /* times of the latest changes, a ring */
};

/* Does the limit of @bound changes per minute allow another one?  0: no limit. */
bool pace_allows(const struct pace *pace, unsigned int bound,
                 uint64_t now_ns);

/* Records a change. */
void pace_note(struct pace *pace, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_ACT_MOVE_LIMITS_H */
