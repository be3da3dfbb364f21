/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-core.h - makes the core of a back end a spot for one of its guests.
 *
 * On one core a guest and its back end pass cache lines for least, but cannot both run.  So only
 * the core of a back end with one vCPU is a spot, and only if hard affinity binds that vCPU to the
 * core.  A guest of one vCPU may be there, after the daemon has moved it to the core's cache, if
 * both together need less than a pCPU.
 */
#ifndef XENSCHED_POLICY_PLACE_CORE_H
#define XENSCHED_POLICY_PLACE_CORE_H

#include "place.h"

/* A core that is a spot. */
struct place_core {
    unsigned int core;   /* in the topology */
    unsigned int server; /* the domain that is bound to it */
};

/* Finds the cores that are spots.  Returns their number; the caller frees *@cores. */
unsigned int place_cores(const struct place_host *h, struct place_core **cores);

/* Describes these cores as the last spots of the placement. */
void place_describe_cores(struct place_host *h, const struct place_core *cores, unsigned int nr);

/* Returns whether domain @i may be at @spot, a core, if the objective says so. */
bool place_core_open(const struct place_host *h, unsigned int i, unsigned int spot);

/* The number of the spot that is this core; ANYWHERE: there is none. */
unsigned int place_core_spot(const struct placement *p, unsigned int core);

#endif /* XENSCHED_POLICY_PLACE_CORE_H */
