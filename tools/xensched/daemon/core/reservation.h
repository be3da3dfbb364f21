/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reservation.h - room for guests that are about to be created, at the places that the
 * answers to "place" named.
 *
 * Until such a guest exists and is bound to its place, nothing else shows that it takes
 * room there.  When a host boots, several are created at once, and each has to see the
 * ones before it.  A reservation ends after RESERVATION_NS if no guest has come.
 */
#ifndef XENSCHED_DAEMON_CORE_RESERVATION_H
#define XENSCHED_DAEMON_CORE_RESERVATION_H

#include "policy/policy.h"

#define RESERVATION_NS 60000000000ULL

/* One more takes the place of the oldest. */
#define RESERVATIONS_MAX 64U

struct reservation {
    char uuid[DOMAIN_UUID_TEXT];
    uint32_t pool;
    unsigned int place;
    struct demand demand;
    uint64_t at_ns;
};

struct reservations {
    unsigned int nr;
    struct reservation reservation[RESERVATIONS_MAX]; /* the oldest first */
};

/* Replaces a reservation of the same UUID. */
void reservation_make(struct reservations *p, const struct reservation *reservation);

/* Forget those whose guests exist by now, or that are too old. */
void reservations_forget(struct reservations *p, const struct topology *t,
                     const struct domains *domains, uint64_t now_ns);

/* Of what @d's cpupool has of each place, to others than @d.  The caller frees it. */
struct demand *reservations_taken(const struct reservations *p, const struct topology *t,
                              const struct domain *d);

#endif /* XENSCHED_DAEMON_CORE_RESERVATION_H */
