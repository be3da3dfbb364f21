/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room.h - decides whether a place has capacity for a domain.
 *
 * Waiting for a pCPU costs more than distance from a partner.  If each vCPU has a core, no vCPU
 * waits.  If there are more vCPUs than cores, chance decides which vCPU waits, and waits grow
 * longer the fewer cores are idle.  So a place is full while some of its cores are still free.
 */
#ifndef XENSCHED_POLICY_ROOM_H
#define XENSCHED_POLICY_ROOM_H

#include <stdbool.h>

/* The demand of one or more domains. */
struct demand {
    double need;        /* pCPUs; see model/runnable.h */
    unsigned int vcpus; /* online */
};

/* The part of the cores that may be needed: for a move there, and for a stay. */
#define ROOM_TO_GO   0.8
#define ROOM_TO_STAY 0.9

/* Returns whether there is capacity for @more beside @there. */
static inline bool room_for(struct demand there, struct demand more,
                            unsigned int cores, double part)
{
    return there.vcpus + more.vcpus <= cores ||
           there.need + more.need <= part * cores;
}

static inline void demand_add(struct demand *sum, struct demand more)
{
    sum->need += more.need;
    sum->vcpus += more.vcpus;
}

static inline void demand_remove(struct demand *sum, struct demand less)
{
    sum->need -= less.need;
    sum->vcpus -= less.vcpus;
}

/* Returns a part, 0 ... 1, of a demand; vCPUs are rounded up. */
static inline struct demand demand_part(struct demand d, double part)
{
    return (struct demand){ d.need * part, d.vcpus * part + 0.999 };
}

#endif /* XENSCHED_POLICY_ROOM_H */
