/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reservation.h - reserves capacity for guests that are about to be created, at the places that
 * answers to "place" have named.
 *
 * Until such a guest exists and is bound to its place, nothing else shows that it will use capacity
 * there.  When a host boots, several are created at once, and each decision has to include the
 * earlier ones.  A reservation ends after RESERVATION_NS if no guest has started.
 */
#ifndef XENSCHED_DAEMON_CORE_RESERVATION_H
#define XENSCHED_DAEMON_CORE_RESERVATION_H

#include "policy/policy.h"

#define RESERVATION_NS 60000000000ULL

/* Another reservation replaces the oldest. */
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
    struct reservation reservation[RESERVATIONS_MAX]; /* oldest first */
};

/* Replaces a reservation of the same UUID. */
void reservation_make(struct reservations *p, const struct reservation *reservation);

/* Removes reservations whose guests exist now, or that are too old. */
void reservations_forget(struct reservations *p, const struct topology *t,
                     const struct domains *domains, uint64_t now_ns);

/*
 * Capacity of each place, within @d's cpupool, reserved for others than @d.  The caller frees it.
 */
struct demand *reservations_taken(const struct reservations *p, const struct topology *t,
                              const struct domain *d);

#endif /* XENSCHED_DAEMON_CORE_RESERVATION_H */
