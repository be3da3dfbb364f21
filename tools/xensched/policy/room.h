/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room.h - when a place has room.
 *
 * To wait for a pCPU is worse than to be far from a partner.  No vCPU waits where
 * each has a core of its own.  Where there are more vCPUs than
 * cores it is a matter of chance, and the less is left idle, the longer they
 * wait: so some of the cores are kept free.
 *
 * What is needed is what is used: a guest that waits for a pCPU uses less than it
 * needs, and all together never use more than there is.  So a place is full
 * before all of it is used.
 */
#ifndef XENSCHED_POLICY_ROOM_H
#define XENSCHED_POLICY_ROOM_H

#include <stdbool.h>

/* What some domains ask of a place. */
struct demand {
    double need;        /* pCPUs that they keep busy */
    unsigned int vcpus; /* online */
};

/* The part of the cores that may be needed: to go there, and to stay there. */
#define ROOM_TO_GO   0.8
#define ROOM_TO_STAY 0.9

/* Is there room for @more beside @there? */
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

/* @part of @whole of it; of vCPUs rounded up. */
static inline struct demand demand_part(struct demand d, unsigned int part,
                                        unsigned int whole)
{
    return (struct demand){ d.need * part / whole,
                            (d.vcpus * part + whole - 1) / whole };
}

#endif /* XENSCHED_POLICY_ROOM_H */
