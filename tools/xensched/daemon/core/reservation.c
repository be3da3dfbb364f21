/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps capacity for guests that are being created. */
#include <string.h>

#include "base/alloc.h"
#include "policy/location.h"
#include "reservation.h"

static void drop_reservation(struct reservations *p, unsigned int i)
{
    p->nr--;
    memmove(&p->reservation[i], &p->reservation[i + 1],
            (p->nr - i) * sizeof(p->reservation[0]));
}

static void drop_uuid(struct reservations *p, const char *uuid)
{
    unsigned int i = 0;

    while (i < p->nr)
        if (strcmp(p->reservation[i].uuid, uuid))
            i++;
        else
            drop_reservation(p, i);
}

void reservation_make(struct reservations *p, const struct reservation *reservation)
{
    drop_uuid(p, reservation->uuid);
    if (p->nr == RESERVATIONS_MAX)
        drop_reservation(p, 0);
    p->reservation[p->nr++] = *reservation;
}

/* A guest that is being built does not have its affinity yet. */
static bool is_kept(const struct reservation *reservation, const struct topology *t,
                    const struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        if (!strcmp(domains->domain[i].uuid, reservation->uuid) &&
            location_asked(t, &domains->domain[i]).place !=
            TOPOLOGY_UNKNOWN)
            return true;

    return false;
}

void reservations_forget(struct reservations *p, const struct topology *t,
                     const struct domains *domains, uint64_t now_ns)
{
    unsigned int i = 0;

    while (i < p->nr)
        if (now_ns - p->reservation[i].at_ns < RESERVATION_NS &&
            !is_kept(&p->reservation[i], t, domains))
            i++;
        else
            drop_reservation(p, i);
}

struct demand *reservations_taken(const struct reservations *p, const struct topology *t,
                              const struct domain *d)
{
    struct demand *taken = need_memory(t->nr_places, sizeof(*taken));
    unsigned int i;

    /* pCPUs may have gone, and with them a place. */
    for (i = 0; i < p->nr; i++)
        if (p->reservation[i].place < t->nr_places &&
            p->reservation[i].pool == d->pool &&
            strcmp(p->reservation[i].uuid, d->uuid))
            demand_add(&taken[p->reservation[i].place], p->reservation[i].demand, 1);

    return taken;
}
