/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * promise.h - guests that are about to be made, and the places that they were told.
 *
 * Until such a guest is there and bound to its place nobody sees that it takes room
 * there.  Several are made at once when a host boots: each is to see those
 * before it.  A promise is kept for PROMISE_NS; who has not come by then does not.
 */
#ifndef XENSCHED_DAEMON_PROMISE_H
#define XENSCHED_DAEMON_PROMISE_H

#include "policy/policy.h"

#define PROMISE_NS 60000000000ULL

/* One more takes the place of the oldest. */
#define PROMISES_MAX 64U

struct promise {
    char uuid[DOMAIN_UUID_TEXT];
    uint32_t pool;
    unsigned int place;
    struct demand demand;
    uint64_t at_ns;
};

struct promises {
    unsigned int nr;
    struct promise promise[PROMISES_MAX]; /* the oldest first */
};

/* In place of what was promised to the same UUID. */
void promise_make(struct promises *p, const struct promise *promise);

/* Forget those which are kept by now, or are too old. */
void promises_forget(struct promises *p, const struct topology *t,
                     const struct domains *domains, uint64_t now_ns);

/* Of what @d's cpupool has of each place, to others than @d.  The caller frees it. */
struct demand *promises_taken(const struct promises *p, const struct topology *t,
                              const struct domain *d);

#endif /* XENSCHED_DAEMON_PROMISE_H */
